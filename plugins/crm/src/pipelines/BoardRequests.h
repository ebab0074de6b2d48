#pragma once

#include "contacts/ContactParts.h"
#include "pipelines/Pipeline.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

/// Query of GET /api/pipeline/{pipelineId}/board.
struct BoardFilter
{
    std::string q;
    std::vector<UserId> ownerUserId;
    std::vector<std::string> tag;
    std::vector<StageId> stageId;
    std::int64_t limitPerStage = 50;
    std::string cursor;
};

/// A contact on a board, as it is shown.
struct PipelineCard
{
    ContactId contactId;
    std::string displayName;
    std::string companyName;
    std::optional<std::string> primaryEmail;
    std::optional<std::string> primaryPhone;
    std::vector<std::string> tags;
    std::optional<UserId> ownerUserId;
    std::optional<std::int64_t> value;
    std::string currency;
    StageId stageId;
    Instant since{};
    std::string position;
    bool stale = false;
};

/// Count and sums are of all cards of the column that the filters let through, minor units of the pipeline's currency.
struct BoardColumn
{
    StageId stageId;
    std::string name;
    StageKind kind = StageKind::Open;
    std::int64_t count = 0;
    std::int64_t valueSum = 0;
    std::int64_t weightedSum = 0;
    std::vector<PipelineCard> items;
    std::optional<std::string> nextCursor;
};

struct Board
{
    Pipeline pipeline;
    std::vector<BoardColumn> columns;
    Instant generatedAt{};
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::BoardFilter>
{
    using T = portico::crm::BoardFilter;
    static constexpr auto fields = describe(
        field("q", &T::q).maxLength(200).description("As of the list of contacts"), field("ownerUserId", &T::ownerUserId).maxItems(50),
        field("tag", &T::tag).maxItems(50), field("stageId", &T::stageId).maxItems(50).description("Only these columns"),
        field("limitPerStage", &T::limitPerStage).range(1, 200),
        field("cursor", &T::cursor)
            .description("A column's nextCursor, with that column's stageId and the same filters and limitPerStage: the next cards of it"));
};

template <>
struct portico::Schema<portico::crm::PipelineCard>
{
    using T = portico::crm::PipelineCard;
    static constexpr auto fields =
        describe(field("contactId", &T::contactId), field("displayName", &T::displayName), field("companyName", &T::companyName),
                 field("primaryEmail", &T::primaryEmail), field("primaryPhone", &T::primaryPhone), field("tags", &T::tags),
                 field("ownerUserId", &T::ownerUserId), field("value", &T::value), field("currency", &T::currency),
                 field("stageId", &T::stageId), field("since", &T::since), field("position", &T::position), field("stale", &T::stale));
};

template <>
struct portico::Schema<portico::crm::BoardColumn>
{
    using T = portico::crm::BoardColumn;
    static constexpr auto fields =
        describe(field("stageId", &T::stageId), field("name", &T::name), field("kind", &T::kind), field("count", &T::count),
                 field("valueSum", &T::valueSum), field("weightedSum", &T::weightedSum), field("items", &T::items),
                 field("nextCursor", &T::nextCursor));
};

template <>
struct portico::Schema<portico::crm::Board>
{
    using T = portico::crm::Board;
    static constexpr auto fields =
        describe(field("pipeline", &T::pipeline), field("columns", &T::columns), field("generatedAt", &T::generatedAt));
};
