#pragma once

#include "pipelines/Pipeline.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Card that has been on its stage for too long.
struct StaleCard
{
    ContactId contactId;
    PipelineId pipelineId;
    std::string displayName;
    std::string stageName;
    std::string pipelineName;
    Instant since{};
};

/// Figures of an organization for the widget.
struct WidgetFigures
{
    std::int64_t contacts = 0;
    std::int64_t newContacts = 0;
    /// Currency of the default pipeline.
    std::string currency;
    /// Minor units on open stages by currency; without currencies that have none.
    std::map<std::string, std::int64_t> openValues;
    std::int64_t staleCards = 0;
    /// The ten that are overdue for longest.
    std::vector<StaleCard> stalest;
};

/// @param currency default if there is no pipeline yet
WidgetFigures readFigures(Session& session, Tenant tenant, std::string_view currency, Instant now);

} // namespace portico::crm
