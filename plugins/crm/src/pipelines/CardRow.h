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

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::CardRow>
{
    using T = portico::crm::CardRow;
    static constexpr auto fields = describe(field("pipelineId", &T::pipelineId), field("contactId", &T::contactId),
                                            field("stageId", &T::stageId), field("position", &T::position), field("since", &T::since),
                                            field("staleAt", &T::staleAt), field("value", &T::value), field("hidden", &T::hidden));
};
