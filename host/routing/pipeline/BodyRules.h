#pragma once

#include "host/http/Application.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/routing/pipeline/Settings.h"

#include "portico/Problem.h"
#include "portico/Request.h"

namespace portico::host::routing
{

/// The stage of limits: how a route's body is received and how large it may be, and whether what came is of the declared kind.
class BodyRules
{
public:
    explicit BodyRules(const Settings& settings) : _jsonBytes(settings.jsonBytes), _uploadBytes(settings.uploadBytes) {}
    /// How the server shall receive the body of a request to this route, and where it runs.
    http::Admission admission(const plugins::RouteInfo& route, const http::Exchange& exchange) const noexcept;
    /// The largest file that an upload to this route may bring.
    std::uint64_t fileLimit(const plugins::RouteInfo& route) const noexcept
    {
        return route.bodyLimit != 0 ? route.bodyLimit : _uploadBytes;
    }
    /// Adds the route's limit to the problem of a body that is too large.
    void explainTooLarge(const plugins::RouteInfo& route, Problem& problem) const;
    /// Before the body is there. @throws Problem 415 `unsupported_media_type` for one that is compressed: it is taken as it comes
    static void checkContentCoding(const plugins::RouteInfo& route, const Request& request);
    /// Once the body is there, and after authentication: no stranger learns what is valid. @throws Problem 415 `unsupported_media_type`
    static void checkContentType(const plugins::RouteInfo& route, const Request& request);

private:
    std::uint64_t _jsonBytes;
    std::uint64_t _uploadBytes;
};

} // namespace portico::host::routing
