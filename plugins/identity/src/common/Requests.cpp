#include "common/Requests.h"

#include "portico/Arguments.h"
#include "portico/Problem.h"

namespace portico::identity
{

bool isOwnOrigin(const Request& request) noexcept { return request.originService.empty() || request.originService == identityServiceId; }

std::string requestedService(const Request& request)
{
    const auto named = request.header("X-Service-ID");
    if (isOwnOrigin(request)) return std::string(named.empty() ? identityServiceId : named);
    if (!named.empty() && named != request.originService)
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    return std::string(request.originService);
}

} // namespace portico::identity
