#pragma once

#include "host/routing/pipeline/RequestState.h"

#include "portico/Request.h"
#include "portico/Response.h"

namespace portico::host::routing
{

/// The last stage: headers that follow from the request, the route and the kind of answer, whatever made it.
class ResponseHeaders
{
public:
    static void complete(const Request& request, const RequestState& state, Response& response);
};

} // namespace portico::host::routing
