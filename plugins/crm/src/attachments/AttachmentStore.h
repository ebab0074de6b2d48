#pragma once

#include "attachments/Attachment.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The rows of attachments. Every statement names the organization, and attachments of a deleted contact are not there. Holds SQL only, so
/// one object serves all threads.
class AttachmentStore
{
public:
    AttachmentStore();

    /// The contact's attachments, the newest first. The caller has made sure that the contact exists.
    Page<Attachment> list(Session& session, Tenant tenant, const ContactId& contactId, const Paging& paging) const;
    /// As many as the first page of `list` has by default.
    std::vector<Attachment> firstPage(Session& session, Tenant tenant, const ContactId& contactId) const;
    std::optional<Attachment> find(Session& session, Tenant tenant, const AttachmentId& id) const;
    /// The same for changing: no other writer changes it until the transaction ends.
    std::optional<Attachment> load(Transaction& transaction, Tenant tenant, const AttachmentId& id) const;
    /// How many attachments a contact has; empty if it does not exist.
    std::optional<std::int64_t> count(Session& session, Tenant tenant, const ContactId& contactId) const;
    /// The same, and nobody else adds or removes one until the transaction ends.
    std::optional<std::int64_t> lockCount(Transaction& transaction, Tenant tenant, const ContactId& contactId) const;

    void insert(Transaction& transaction, Tenant tenant, const Attachment& attachment) const;
    void erase(Transaction& transaction, Tenant tenant, const Attachment& attachment) const;
    /// Ids of all attachments of a contact, deleted or not.
    std::vector<AttachmentId> idsOf(Session& session, Tenant tenant, const ContactId& contactId) const;
    /// Gives attachments of one contact to another; those that are the first one's no more are left alone. How many went.
    std::int64_t move(Transaction& transaction, Tenant tenant, const std::vector<AttachmentId>& ids, const ContactId& from,
                      const ContactId& to, Instant now) const;

private:
    std::string _selectOne;
};

} // namespace portico::crm
