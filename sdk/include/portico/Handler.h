#pragma once

#include "portico/Problem.h"
#include "portico/Request.h"
#include "portico/Response.h"

#include <string>
#include <string_view>

namespace portico
{

/// Error format of a route whose standard requires another one than the problem document (RFC 9457).
struct ProblemFormat
{
    /// Media type of the body.
    std::string_view mediaType = {};
    /// Writes the body. Called by any thread while the plugin is loaded. Responses without the plugin are problem documents.
    std::string (*write)(const Problem& problem) = nullptr;
};

/// Function behind a route. Called on many threads concurrently. Owned by the plugin's generation and destroyed before the plugin is
/// unloaded.
class PORTICO_API Handler
{
public:
    virtual ~Handler();
    /// Fills the response. @throws Problem (answered as such) or std::exception (answered as 500 `internal`, logged).
    virtual void handle(Request& request, Response& response) const = 0;
    /// Checks the request before the host receives its body (`Routes::beforeBody`). Does nothing by default. @throws as `handle`
    virtual void check(Request& request) const;
    /// Body of the response to a problem of a route with a `ProblemFormat`; empty: a problem document.
    virtual std::string problemBody(const Problem& problem) const;
};

} // namespace portico
