#include "host/routing/access/Authorization.h"

#include "portico/Problem.h"

namespace portico::host::routing
{

namespace
{

/// Checked before the handler, which would read the body first. Only the service can resolve a cookie.
void checkContext(const Caller& caller, const plugins::Manifest& service)
{
    if (caller.anonymous() || service.servesContext(caller.organizationId)) return;
    throw Problem::forbidden("service_access_denied", caller.organizationId.empty()
                                                          ? "This service works in the context of an organization."
                                                          : "This service works in personal context.");
}

/// A route must name service principals to allow them.
void checkService(const Request& request, const Access& access)
{
    const Caller& caller = *request.caller;
    if (!access.service) throw Problem::forbidden("bearer_required", "This route is for people: send the access token of a user.");
    if (!access.serviceScope.empty())
    {
        if (!caller.hasScope(access.serviceScope))
            throw Problem::forbidden("insufficient_scope", "The token does not hold the scope " + access.serviceScope + ".");
        return;
    }
    const auto& own = access.ownService;
    if (caller.ownServiceId.empty()) throw Problem::forbidden("permission_denied", "The client belongs to no service.");
    if (!own.parameter.empty() && request.pathParameters()[own.index] != caller.ownServiceId)
        throw Problem::forbidden("permission_denied", "A service may do this for itself only.");
    if (access.oneService && *access.oneService != caller.ownServiceId)
        throw Problem::forbidden("permission_denied", "Another service does this.");
}

bool isOpenByRank(const Caller& caller, Access::Rank rank)
{
    if (rank == Access::Rank::None) return false;
    if (caller.platformBypass) return true;
    const bool admin = caller.role == "owner" || caller.role == "super_admin" || caller.role == "admin";
    return rank == Access::Rank::Admin && admin && !caller.organizationId.empty();
}

/// By permission, by rank, or because it is about the caller; a route that names none of these is about the caller's own things.
void checkRight(const Request& request, const Access& access, const plugins::Manifest& service)
{
    const Caller& caller = *request.caller;
    const bool named = !access.permission.empty();
    if (!named && access.rank == Access::Rank::None) return;
    if (access.personal && caller.organizationId.empty()) return;
    if ((named && caller.may(access.permission)) || isOpenByRank(caller, access.rank)) return;
    const auto& self = access.self;
    if (!self.parameter.empty() && request.pathParameters()[self.index] == caller.principalId) return;
    if (!named)
        throw Problem::forbidden("permission_denied", access.rank == Access::Rank::Admin ? "Admins of the organization may do this."
                                                                                         : "Operators of the platform may do this.");
    auto problem = Problem::forbidden("permission_denied", "The permission " + access.permission + " is needed.");
    if (const auto found = service.refusals.find(access.permission); found != service.refusals.end()) problem.withDetails(found->second);
    throw problem;
}

} // namespace

void checkActiveContext(const Request& request)
{
    constexpr std::string_view header = "X-Portico-Context";
    const std::string_view organization = request.caller->organizationId;
    if (request.hasHeader(header) && request.header(header) != (organization.empty() ? "personal" : organization))
        throw Problem::conflict("context_changed", "The active context is another one now. Nothing was read or written.");
}

void checkAccess(const Request& request, const Access& access, const plugins::Manifest& service)
{
    if (access.open) return;
    const Caller& caller = *request.caller;
    const bool isWidget = request.method == Method::Get && request.path == "/api/widget";
    if (caller.widgetOnly && !isWidget && !access.widgetToken)
        throw Problem::forbidden("insufficient_scope", "This token is accepted for GET /api/widget only.");
    if (caller.isServicePrincipal()) return checkService(request, access);
    if (access.service && !access.bearer && caller.credential == CredentialKind::AccessToken)
        throw Problem::forbidden("permission_denied", "Only services may call this.");
    if (caller.delegated && !access.delegated)
        throw Problem::forbidden("permission_denied", "Only people themselves may do this, in an app of this installation.");
    checkContext(caller, service);
    if (access.inPersonOnly && !caller.impersonatorId.empty())
        throw Problem::forbidden("permission_denied", "Not allowed while impersonating a user.");
    const bool scoped =
        access.scope.empty() || caller.hasScope(access.scope) || (!access.otherScope.empty() && caller.hasScope(access.otherScope));
    if (caller.credential == CredentialKind::ApiKey && !scoped)
        throw Problem::forbidden("insufficient_scope", "The key does not hold the scope " + access.scope + ".");
    checkRight(request, access, service);
    for (const auto& binding : access.bindings)
        if (!binding.parameter.empty() && !caller.reaches(binding.type, request.pathParameters()[binding.index]))
            throw Problem::forbidden("resource_not_bound", "The key is bound to other resources of the type " + binding.type + ".");
}

} // namespace portico::host::routing
