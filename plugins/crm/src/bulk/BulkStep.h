#pragma once

#include "bulk/BulkState.h"
#include "contacts/ContactStore.h"
#include "pipelines/PipelineService.h"

#include <optional>
#include <vector>

namespace portico::crm
{

/// What bulk changes work with. Thread-safe; all references outlive it.
struct BulkTools
{
    PluginContext& context;
    PipelineService& pipelines;
    const VersionKeepers& keepers;
    ContactStore contacts = {};
};

/// Changes the next contacts of a bulk change, or finishes it when there are none, in the caller's transaction, which has locked its row.
void changeSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state);

/// What one transaction of an undo did.
struct BulkUndoStep
{
    /// The last contact that was looked at; empty: there are no more.
    std::string position;
    std::vector<ContactId> kept;
};

/// Takes back what a bulk change did to the next contacts behind a position that nobody has changed since. What was taken back is
/// forgotten, so that an undo that ended early can begin again.
BulkUndoStep undoSome(const BulkTools& tools, Transaction& transaction, Tenant tenant, BulkState& state, const std::string& position);

} // namespace portico::crm
