#include "pipelines/BindablePipelines.h"

#include "Rights.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

/// An organization has a few dozen at most.
std::vector<Pipeline> BindablePipelines::readable(const Caller& caller, std::string_view type)
{
    if (type != pipelineResource) throw Problem::notFound("There is no such type of resource.");
    requireRight(caller, "crm.pipeline:read", "pipeline.read");
    _pipelines.ensureDefault(caller.tenant());
    auto session = _context.database().session();
    auto pipelines = allPipelines(session, caller.tenant());
    std::erase_if(pipelines, [&](const Pipeline& pipeline) { return !caller.reaches(pipelineResource, pipeline.pipelineId.text()); });
    return pipelines;
}

std::vector<interfaces::BindableResource> BindablePipelines::list(const Caller& caller, std::string_view type, std::string_view words,
                                                                  std::string_view after, std::size_t limit)
{
    const auto wanted = fold(words);
    std::vector<interfaces::BindableResource> found;
    for (const auto& pipeline : readable(caller, type))
        if (pipeline.pipelineId.text() > after && fold(pipeline.name).find(wanted) != std::string::npos)
            found.push_back({pipeline.pipelineId.text(), pipeline.name});
    std::ranges::sort(found, {}, &interfaces::BindableResource::id);
    if (found.size() > limit) found.resize(limit);
    return found;
}

std::optional<interfaces::BindableResource> BindablePipelines::find(const Caller& caller, std::string_view type, std::string_view id)
{
    for (const auto& pipeline : readable(caller, type))
        if (pipeline.pipelineId.text() == id) return interfaces::BindableResource{pipeline.pipelineId.text(), pipeline.name};
    return std::nullopt;
}

} // namespace portico::crm
