#pragma once

#include "pipelines/Pipeline.h"
#include "records/ContactParts.h"

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

constexpr auto schemaOf(const BoardFilter*)
{
    return describe(field<&BoardFilter::q>().maxLength(200).description("Search text, as in the list of contacts"),
                    field<&BoardFilter::ownerUserId>().maxItems(50), field<&BoardFilter::tag>().maxItems(50),
                    field<&BoardFilter::stageId>().maxItems(50).description("Stages to return"),
                    field<&BoardFilter::limitPerStage>().range(1, 200),
                    field<&BoardFilter::cursor>().description(
                        "`nextCursor` of a column. Requires that column's `stageId` and unchanged filters and `limitPerStage`"));
}

/// Card of a contact in a board's answer.
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

constexpr auto schemaOf(const PipelineCard*)
{
    return describe(
        members<&PipelineCard::contactId, &PipelineCard::displayName, &PipelineCard::companyName, &PipelineCard::primaryEmail,
                &PipelineCard::primaryPhone, &PipelineCard::tags, &PipelineCard::ownerUserId, &PipelineCard::value, &PipelineCard::currency,
                &PipelineCard::stageId, &PipelineCard::since, &PipelineCard::position, &PipelineCard::stale>());
}

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

constexpr auto schemaOf(const BoardColumn*)
{
    return describe(members<&BoardColumn::stageId, &BoardColumn::name, &BoardColumn::kind, &BoardColumn::count, &BoardColumn::valueSum,
                            &BoardColumn::weightedSum, &BoardColumn::items, &BoardColumn::nextCursor>());
}

struct Board
{
    Pipeline pipeline;
    std::vector<BoardColumn> columns;
    Instant generatedAt{};
};

constexpr auto schemaOf(const Board*) { return describe(members<&Board::pipeline, &Board::columns, &Board::generatedAt>()); }

} // namespace portico::crm
