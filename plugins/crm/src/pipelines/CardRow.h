#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <optional>
#include <string>

namespace portico::crm
{

/// A contact on a board, as it is stored.
struct CardRow
{
    PipelineId pipelineId;
    ContactId contactId;
    StageId stageId;
    /// Order key within the stage.
    std::string position;
    Instant since{};
    /// From when on it is stale; empty: never.
    std::optional<Instant> staleAt;
    /// Minor units of the pipeline's currency.
    std::optional<std::int64_t> value;
    /// Its contact is deleted, for now.
    bool hidden = false;
    bool operator==(const CardRow&) const = default;
};

constexpr auto schemaOf(const CardRow*)
{
    return describe(field("pipelineId", &CardRow::pipelineId), field("contactId", &CardRow::contactId), field("stageId", &CardRow::stageId),
                    field("position", &CardRow::position), field("since", &CardRow::since), field("staleAt", &CardRow::staleAt),
                    field("value", &CardRow::value), field("hidden", &CardRow::hidden));
}

} // namespace portico::crm
