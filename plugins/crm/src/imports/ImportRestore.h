#pragma once

#include "imports/ImportStage.h"
#include "imports/ImportTools.h"

#include "portico/Tenant.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Gives contacts that an import changed back what they had before, within one transaction.
class ImportRestore
{
public:
    /// `stage`: where the import put its contacts, or null.
    ImportRestore(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportRecord& record, const ImportStage* stage)
        : _tools(tools), _transaction(transaction), _tenant(tenant), _record(record), _stage(stage)
    {
    }

    /// Restores a contact, and with it those to which the import has given its external ids meanwhile. Which these were; none if one of
    /// them was changed since the import, or if somebody else has an id now.
    std::vector<ContactId> restore(ImportedChange change);

private:
    struct Member
    {
        ImportedChange change;
        Contact current;
        Contact before;
    };
    using Group = std::vector<Member>;

    bool gather(Group& group, ImportedChange change);
    /// A contact that nobody has changed since.
    std::optional<Member> memberOf(ImportedChange change);
    std::optional<ContactId> holderOf(const ExternalId& external);
    void putBack(const Member& member);
    void removePhoto(const AttachmentId& id);
    void removeNotes(const ContactId& contact);
    void takeOffBoard(const ContactId& contact);
    Instant now() const { return _tools.context.clock().now(); }

    const ImportTools& _tools;
    Transaction& _transaction;
    const Tenant _tenant;
    const ImportRecord& _record;
    const ImportStage* _stage;
};

} // namespace portico::crm
