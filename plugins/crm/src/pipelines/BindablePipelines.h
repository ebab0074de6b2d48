#pragma once

#include "pipelines/PipelineService.h"

#include "portico/interfaces/BindableResources.h"

namespace portico::crm
{

/// The pipelines that API keys can be bound to. Thread-safe.
class BindablePipelines final : public interfaces::BindableResources
{
public:
    BindablePipelines(PluginContext& context, PipelineService& pipelines) : _context(context), _pipelines(pipelines) {}

    std::vector<interfaces::BindableResource> list(const Caller& caller, std::string_view type, std::string_view words,
                                                   std::string_view after, std::size_t limit) override;
    std::optional<interfaces::BindableResource> find(const Caller& caller, std::string_view type, std::string_view id) override;

private:
    std::vector<Pipeline> readable(const Caller& caller, std::string_view type);

    PluginContext& _context;
    PipelineService& _pipelines;
};

} // namespace portico::crm
