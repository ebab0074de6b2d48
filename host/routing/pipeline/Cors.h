#pragma once

#include "host/routing/table/MethodSet.h"
#include "host/routing/table/Origins.h"
#include "host/routing/table/RouteTable.h"

#include "portico/Request.h"
#include "portico/Response.h"

namespace portico::host::routing
{

/// The stage of cross-origin rules: registered origins may call with credentials, routes that say so may be read by any origin, and no
/// other origin learns anything.
class Cors
{
public:
    /// Adds what a response to this request needs. `entry` may be null: errors of unknown paths are readable for registered origins too.
    static void addHeaders(const Request& request, const RouteEntry* entry, const AllowedOrigins& allowed, Response& response);
    /// Answers OPTIONS on a path that has these methods: a preflight for `entry` (null: the asked method is not there), or a plain
    /// question.
    static void answerOptions(const Request& request, const RouteEntry* entry, MethodSet methods, const AllowedOrigins& allowed,
                              Response& response);
};

} // namespace portico::host::routing
