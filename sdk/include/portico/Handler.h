#pragma once

#include "portico/Request.h"
#include "portico/Response.h"

namespace portico
{

/// Function behind a route. Called on many threads concurrently. Owned by the plugin's generation and destroyed before the plugin is
/// unloaded.
class PORTICO_API Handler
{
public:
    virtual ~Handler();
    /// Fills the response. @throws Problem (answered as such) or std::exception (answered as 500 `internal`, logged).
    virtual void handle(Request& request, Response& response) const = 0;
};

} // namespace portico
