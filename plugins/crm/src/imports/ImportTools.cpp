#include "imports/ImportTools.h"

#include "contacts/ContactSettings.h"

#include "portico/Problem.h"

namespace portico::crm
{

ImportSettings readImportSettings(const Config& config)
{
    return {static_cast<std::uint64_t>(config.integer("crm.imports.maxBytes")), config.integer("crm.imports.maxRows"),
            readContactSettings(config).callingCode};
}

void ImportScope::holdStage()
{
    if (!state.options.pipelineId || !state.options.stageId) return;
    try
    {
        auto pipeline = tools.pipelines.hold(transaction, tenant, state.options.pipelineId);
        if (pipeline.stage(*state.options.stageId)) stage = ImportStage{std::move(pipeline), *state.options.stageId};
    }
    catch (const Problem&) // the pipeline is gone
    {
    }
}

void ImportScope::place(const ContactId& contact, const std::optional<StageId>& stageId) const
{
    Placement placement;
    placement.contactId = contact;
    placement.stageId = stageId;
    if (stageId) placement.lostReason = "import";
    placement.movedBy = state.createdBy;
    placement.source = MoveSource::Import;
    placement.silent = true;
    tools.pipelines.placeOnStage(transaction, tenant, stage->pipeline, placement);
}

} // namespace portico::crm
