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

/// What can be done with contacts, each in one transaction with its event. Thread-safe.
class ContactService
{
public:
    /// The context and the keepers outlive it.
    ContactService(PluginContext& context, ContactSettings settings, const VersionKeepers& keepers)
        : _context(context), _settings(std::move(settings)), _keepers(keepers)
    {
    }

    /// A new contact, or the one that `onDuplicate=return` asked for.
    Created<Contact> create(const Caller& caller, const Query<CreateOptions>& options, const Body<Contact>& body);
    Contact update(const Caller& caller, const Path<ContactId>& id, const Body<Patch<Contact>>& body, const IfMatch& ifMatch);
    /// Deletes; until the time in the answer it can be restored, unless it is for good.
    DeletedContact remove(const Caller& caller, const Path<ContactId>& id, const Query<DeleteOptions>& options, const IfMatch& ifMatch);
    /// A contact that is not deleted is given as it is: restoring twice is no error. @throws Problem 409, 412
    Contact restore(const Caller& caller, const Path<ContactId>& id, const IfMatch& ifMatch);

    /// Removes the contacts of all organizations that were deleted too long ago to be restored; how many.
    std::size_t removeExpired(const std::stop_token& stop);

    ListSettings listSettings() const;

private:
    /// Deletes without a way back. @throws Problem 403
    DeletedContact purge(const Caller& caller, const ContactId& id, const IfMatch& ifMatch);
    /// @throws Problem 400 when the user is no active member, 503 when nobody can tell.
    void checkOwner(Tenant tenant, const UserId& owner) const;
    void checkNewOwner(Tenant tenant, const ContactId& id, const Patch<Contact>& patch) const;
    /// The contact that answers a creation with `onDuplicate=return`, or empty. @throws Problem 400 `duplicate_contact`
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
