#pragma once

#include "bulk/BulkState.h"
#include "contacts/ContactStore.h"
#include "pipelines/PipelineService.h"

#include <optional>
#include <vector>

namespace portico::crm
{

/// Collaborators of bulk changes. Thread-safe; all references must outlive it.
struct BulkTools
{
    PluginContext& context;
    PipelineService& pipelines;
    const VersionKeepers& keepers;
    ContactStore contacts = {};
};

/// Changes the next contacts of a bulk change, or finishes it if there are none. The caller's transaction must have locked its row.
void changeSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state);

/// Result of one transaction of an undo.
struct BulkUndoStep
{
    /// The last contact that was processed; empty: there are no more.
    std::string position;
    std::vector<ContactId> kept;
};

/// Reverts the bulk change on the next contacts after a position, unless they were changed since. Deletes the undo data of reverted
/// contacts, so that an interrupted undo can continue.
BulkUndoStep undoSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state, const std::string& position);

} // namespace portico::crm
