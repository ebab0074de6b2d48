#pragma once

#include "imports/ImportTools.h"

#include <cstdint>
#include <limits>
#include <string>
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
UndoStep undoSome(ImportScope scope, const UndoCursor& from, UndoMode mode);

} // namespace portico::crm
