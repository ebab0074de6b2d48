#include "common/Requests.h"

#include "portico/Arguments.h"
#include "portico/Problem.h"

namespace portico::identity
{

void checkQuery(const Request& request, const std::vector<std::string_view>& allowed)
{
    if (!request.query.empty()) detail::checkQueryNames(request, allowed);
}

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
