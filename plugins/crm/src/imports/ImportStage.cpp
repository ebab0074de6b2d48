#include "imports/ImportStage.h"

#include "portico/Problem.h"

namespace portico::crm
{

std::optional<ImportStage> holdStage(const ImportTools& tools, Transaction& transaction, Tenant tenant, const ImportOptions& options)
{
    if (!options.pipelineId || !options.stageId) return std::nullopt;
    try
    {
        auto pipeline = tools.pipelines.hold(transaction, tenant, options.pipelineId);
        if (!pipeline.stage(*options.stageId)) return std::nullopt;
        return ImportStage{tools.pipelines, std::move(pipeline), *options.stageId};
    }
    catch (const Problem&) // the pipeline is gone
    {
        return std::nullopt;
    }
}

} // namespace portico::crm
