#pragma once

#include "contacts/ContactList.h"
#include "contacts/ContactSettings.h"
#include "contacts/ContactStore.h"
#include "records/ContactRequests.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Plugin.h"
#include "portico/Results.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace portico::crm
{

struct DuplicateMatch;

/// Operations on contacts. Each runs in one transaction with its event. Thread-safe.
class ContactService
{
public:
    /// All arguments must outlive this object.
    ContactService(PluginContext& context, ContactSettings settings, const VersionKeepers& keepers)
        : _context(context), _settings(std::move(settings)), _keepers(keepers)
    {
    }

    /// Creates a contact, or returns the existing one with `onDuplicate=return`.
    Created<Contact> create(const Caller& caller, const Query<CreateOptions>& options, const Body<Contact>& body);
    Contact update(const Caller& caller, const Path<ContactId>& id, const Body<Patch<Contact>>& body, const IfMatch& ifMatch);
    /// Deletes the contact. It can be restored until the time in the answer, unless it was deleted permanently.
    DeletedContact remove(const Caller& caller, const Path<ContactId>& id, const Query<DeleteOptions>& options, const IfMatch& ifMatch);
    /// Restores a contact. One that is not deleted is returned unchanged. @throws Problem 409, 412
    Contact restore(const Caller& caller, const Path<ContactId>& id, const IfMatch& ifMatch);

    /// Removes contacts of all organizations whose restore period has expired. Returns their number.
    std::size_t removeExpired(const std::stop_token& stop);

    ListSettings listSettings() const;

private:
    /// Deletes permanently. @throws Problem 403
    DeletedContact purge(const Caller& caller, const ContactId& id, const IfMatch& ifMatch);
    /// @throws Problem 400 if the user is not an active member, 503 if the directory is unavailable
    void checkOwner(Tenant tenant, const UserId& owner) const;
    void checkNewOwner(Tenant tenant, const ContactId& id, const Patch<Contact>& patch) const;
    /// Returns the contact that answers a creation with `onDuplicate=return`, or none. @throws Problem 400 `duplicate_contact`
    std::optional<Contact> answerDuplicate(Transaction& transaction, Tenant tenant, OnDuplicate onDuplicate,
                                           const std::vector<DuplicateMatch>& matches) const;
    std::size_t removeExpiredBatch();
    Instant now() const { return _context.clock().now(); }

    PluginContext& _context;
    ContactStore _store;
    ContactSettings _settings;
    const VersionKeepers& _keepers;
};

} // namespace portico::crm
