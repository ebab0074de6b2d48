#pragma once

#include "imports/ImportTools.h"

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

/// How far an undo has come: first through the contacts that were changed, then through those that were made.
struct UndoCursor
{
    bool changesDone = false;
    bool done = false;
    /// The last contact that was looked at.
    std::string contactId;
};

/// What one transaction of an undo did.
struct UndoStep
{
    UndoCursor next;
    std::int64_t deleted = 0;
    std::int64_t restored = 0;
    std::vector<ContactId> kept;
};

/// Takes back what an import did to the next contacts that nobody has changed since. What was taken back is forgotten, so that an undo that
/// ended early can begin again.
UndoStep undoSome(const ImportTools& tools, Transaction& transaction, std::string_view organizationId, const ImportRecord& record,
                  const UndoCursor& from, UndoMode mode);

} // namespace portico::crm
