#include "records/ReachedPipelines.h"

namespace portico::crm
{

std::optional<std::vector<PipelineId>> reachedPipelines(const Caller& caller)
{
    const auto bound = caller.boundResources.find(std::string(pipelineResource));
    if (bound == caller.boundResources.end()) return std::nullopt;
    std::vector<PipelineId> reached;
    for (const auto& text : bound->second)
        if (const auto id = PipelineId::parse(text)) reached.push_back(*id);
    return reached;
}

} // namespace portico::crm
