#pragma once

#include "pipelines/BoardRequests.h"

#include "portico/Request.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// Cursors of a board's columns. A board gives out cursors of all its columns at once, while each is good for a request that names its
/// column: so they are signed, by the SDK, as of that request.
class BoardCursors
{
public:
    /// `request` and `filter` outlive this.
    BoardCursors(const Request& request, const PipelineId& pipelineId, const BoardFilter& filter);

    std::string sign(const StageId& stageId, std::string_view payload) const;
    /// The payload of the filter's cursor, empty without one. @throws Problem 400 `invalid_cursor` unless it is of the one column that the
    /// filter names, with the same filters and limit.
    std::string open() const;

private:
    std::string queryFor(const StageId& stageId) const;

    const Request& _request;
    const BoardFilter& _filter;
    std::string _query;
};

} // namespace portico::crm
