#include "pipelines/BoardCursor.h"

#include "portico/Arguments.h"

namespace portico::crm
{

namespace
{

void append(std::string& query, std::string_view name, std::string_view value)
{
    constexpr std::string_view hex = "0123456789ABCDEF";
    constexpr unsigned char low = 15;
    ((query += query.empty() ? "" : "&") += name) += '=';
    for (const char c : value)
    {
        const auto byte = static_cast<unsigned char>(c);
        ((query += '%') += hex[byte >> 4U]) += hex[byte & low];
    }
}

/// The request as if it had that query.
Request withQuery(const Request& request, std::string_view query)
{
    Request other;
    other.route = request.route;
    other.caller = request.caller;
    other.cursorKey = request.cursorKey;
    other.query = query;
    return other;
}

} // namespace

BoardCursors::BoardCursors(const Request& request, const PipelineId& pipelineId, const BoardFilter& filter)
    : _request(request), _filter(filter)
{
    append(_query, "pipelineId", pipelineId.text());
    append(_query, "limitPerStage", std::to_string(filter.limitPerStage));
    append(_query, "q", filter.q);
    // One parameter for each value: what stands between them cannot be taken for a part of one.
    for (const auto& owner : filter.ownerUserId) append(_query, "ownerUserId", owner.text());
    for (const auto& tag : filter.tag) append(_query, "tag", tag);
}

std::string BoardCursors::queryFor(const StageId& stageId) const
{
    auto query = _query;
    append(query, "stageId", stageId.text());
    return query;
}

std::string BoardCursors::sign(const StageId& stageId, std::string_view payload) const
{
    const auto query = queryFor(stageId);
    return detail::signCursor(withQuery(_request, query), payload);
}

std::string BoardCursors::open() const
{
    if (_filter.cursor.empty()) return {};
    if (_filter.stageId.size() != 1) throw Problem::badRequest("invalid_cursor", "The cursor belongs to one column: name it with stageId.");
    auto query = queryFor(_filter.stageId.front());
    append(query, "cursor", _filter.cursor);
    return detail::readPaging(withQuery(_request, query)).cursor;
}

} // namespace portico::crm
