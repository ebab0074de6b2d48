#pragma once

#include "imports/ImportStage.h"
#include "imports/ImportTools.h"

#include "portico/Tenant.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

enum class UndoMode
{
    /// Contacts that were made are deleted, and can be restored.
    Delete,
    /// Contacts that were made are gone, as nobody was told of them.
    AsIfNeverMade
};

/// How far an undo has come: first through the contacts that were made, then backwards through the rows that changed others.
struct UndoCursor
{
    bool deletesDone = false;
    bool done = false;
    /// The last contact that was deleted or kept.
    std::string contactId;
    /// The last row whose contact was restored or kept.
    std::int64_t fileRow = std::numeric_limits<std::int64_t>::max();
};

/// What one transaction of an undo did.
struct UndoStep
{
    UndoCursor next;
    std::int64_t deleted = 0;
    /// Also such as an earlier step kept: what stood in their way is gone.
    std::vector<ContactId> restored;
    std::vector<ContactId> kept;
};

/// Takes back what an import did to the next contacts that nobody has changed since. What was taken back is forgotten, so that an undo that
/// ended early can begin again.
UndoStep undoSome(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportState& state, const UndoCursor& from,
                  UndoMode mode);

/// Gives contacts that an import changed back what they had before, within one transaction.
class ImportRestore
{
public:
    /// `stage`: where the import put its contacts, or null.
    ImportRestore(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportState& state, const ImportStage* stage)
        : _tools(tools), _transaction(transaction), _tenant(tenant), _state(state), _stage(stage)
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
    const ImportState& _state;
    const ImportStage* _stage;
};

} // namespace portico::crm
