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

/// Whether an address is of our making, and not that of a request object somewhere else, which is not read.
bool isPushedRequest(std::string_view requestUri);
/// The parameters of a request that this client has pushed; it stays until it is taken, once it was opened for ten minutes.
std::optional<UrlParameters> pushedRequest(StateStore& state, std::string_view requestUri, std::string_view clientId);
/// False when somebody else was first.
bool takePushedRequest(StateStore& state, std::string_view requestUri);

/// Pushed authorization requests (RFC 9126): the client hands its request over itself, and the browser carries a reference only.
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
    /// The code of a request that comes with a proof is for whoever holds its key, as if `dpop_jkt` said so (RFC 9449, 10.1).
    void bind(const Request& request, UrlParameters& form) const;

    Core& _core;
    ClientAuthentication _clients;
    Dpop _dpop;
    RateLimit _anonymous;
};

} // namespace portico::identity
