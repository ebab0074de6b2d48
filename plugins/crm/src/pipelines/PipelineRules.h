#pragma once

#include "pipelines/Pipeline.h"

#include <map>
#include <string_view>

namespace portico::crm
{

/// The pipeline that an organization has before it made one: New, Contacted, Qualified, Proposal, Negotiation, Won, Lost.
Pipeline standardPipeline(std::string_view currency, Instant now);

/// Validates and completes a written pipeline: ids of new stages, order of stages, defaults. Removes transitions of removed stages.
/// @param before the pipeline before the change, null for a new one
/// @throws Problem 400 `validation_failed`
void complete(Pipeline& pipeline, const Pipeline* before, std::string_view currency, Instant now);

/// Stages that are in `before` only.
std::vector<StageId> removedStages(const Pipeline& before, const Pipeline& after);

/// The stage for the cards of each removed stage that `moveTo` names.
/// @throws Problem 400 when it names another stage, or a stage that is not in `after`.
std::map<StageId, StageId> targetsOf(const std::map<std::string, StageId>& moveTo, const std::vector<StageId>& removed,
                                     const Pipeline& after);

} // namespace portico::crm
