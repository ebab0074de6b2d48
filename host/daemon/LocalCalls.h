#pragma once

#include "host/http/Application.h"
#include "host/routing/table/RouteTable.h"

#include "portico/Calls.h"

namespace portico::host::daemon
{

/// Passes a call of one service to another through the pipeline, on the calling thread. NotReached if the host has no such service.
/// Thread-safe.
CallResult callService(const Call& call, http::Application& application, const routing::CurrentTable& routes);

} // namespace portico::host::daemon
