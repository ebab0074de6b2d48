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
    /// Deletes created contacts; they can be restored.
    Delete,
    /// Erases created contacts, because they were never published.
    AsIfNeverMade
};

/// Progress of an undo: first it deletes created contacts, then it restores changed ones in reverse order of rows.
struct UndoCursor
{
    bool deletesDone = false;
    bool done = false;
    /// The last contact that was deleted or kept.
    std::string contactId;
    /// The last row whose contact was restored or kept.
    std::int64_t fileRow = std::numeric_limits<std::int64_t>::max();
};

/// Result of one transaction of an undo.
struct UndoStep
{
    UndoCursor next;
    std::int64_t deleted = 0;
    /// Also contains contacts that an earlier step kept, because their obstacle has disappeared.
    std::vector<ContactId> restored;
    std::vector<ContactId> kept;
};

/// Reverts the import on the next contacts that were not changed since. Deletes the undo data of reverted contacts, so that an interrupted
/// undo can continue.
UndoStep undoSome(ImportScope scope, const UndoCursor& from, UndoMode mode);

} // namespace portico::crm
