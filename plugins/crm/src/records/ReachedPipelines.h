#pragma once

#include "Ids.h"

#include "portico/Caller.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The type of resource to which API keys are bound.
constexpr std::string_view pipelineResource = "pipeline";

/// The pipelines to which the caller's key is bound; empty for a caller who reaches all.
std::optional<std::vector<PipelineId>> reachedPipelines(const Caller& caller);

} // namespace portico::crm
