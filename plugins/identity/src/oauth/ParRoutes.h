#pragma once

#include "oauth/ClientAuthentication.h"
#include "tokens/Dpop.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"
#include "portico/StateStore.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// Returns true for a reference to a pushed request, false for the address of an external request object, which is not supported.
bool isPushedRequest(std::string_view requestUri);
/// Returns the parameters of a request that this client has pushed. It stays until it is taken; opening it extends its lifetime to ten
/// minutes.
std::optional<UrlParameters> pushedRequest(StateStore& state, std::string_view requestUri, std::string_view clientId);
/// Returns false if another request has taken it.
bool takePushedRequest(StateStore& state, std::string_view requestUri);

/// Pushed authorization requests (RFC 9126): the client sends its request directly, and the browser carries only a reference.
class ParRoutes
{
public:
    explicit ParRoutes(Core& core)
        : _core(core),
          _clients(core),
          _dpop(core.state, core.clock),
          _anonymous(core.state, core.clock, {.use = "anonymous-par", .limit = 60})
    {
    }
    void declare(Routes& routes);
    Response push(const Request& request, const RawBody& body);

private:
    /// Binds the code to the key of the request's DPoP proof, like `dpop_jkt` does (RFC 9449, 10.1).
    void bind(const Request& request, UrlParameters& form) const;

    Core& _core;
    ClientAuthentication _clients;
    Dpop _dpop;
    RateLimit _anonymous;
};

} // namespace portico::identity
