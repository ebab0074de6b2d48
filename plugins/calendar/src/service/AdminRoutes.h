#pragma once

#include "portico/Routes.h"

#include <string>
#include <string_view>

namespace portico::calendar
{

/// Body of a route that takes none.
struct NoMembers
{
};

constexpr auto schemaOf(const NoMembers*) { return describe(); }

/// Returns the path at which a caller reads a new record. API keys have no access to the workspace.
inline std::string pathFor(const Caller& caller, std::string_view path)
{
    return (caller.credential == CredentialKind::ApiKey ? "/api" : "/api/admin") + std::string(path);
}

/// Declares routes twice: below `/api/admin` for the workspace with access tokens only, and below `/api` for tokens and for keys with the
/// scope. Both call the same function. Must outlive the declaration only.
class AdminRoutes
{
public:
    /// @param permission,scope required by the routes that follow, such as `bookings:read` and `bookings.read`
    AdminRoutes(Routes& routes, std::string_view permission, std::string_view scope)
        : _routes(routes), _workspace(access::bearer(permission)), _clients(access::bearerOrKey(permission, scope).bindInHandler("host"))
    {
    }

    template <class F, class O>
    AdminRoutes& get(std::string_view path, F function, O* object, const RouteOptions& options)
    {
        _routes.get(workspace(path), _workspace, function, object, options).get(client(path), _clients, function, object, options);
        return *this;
    }
    template <class F, class O>
    AdminRoutes& post(std::string_view path, F function, O* object, const RouteOptions& options)
    {
        _routes.post(workspace(path), _workspace, function, object, options).post(client(path), _clients, function, object, options);
        return *this;
    }
    template <class F, class O>
    AdminRoutes& put(std::string_view path, F function, O* object, const RouteOptions& options)
    {
        _routes.put(workspace(path), _workspace, function, object, options).put(client(path), _clients, function, object, options);
        return *this;
    }
    template <class F, class O>
    AdminRoutes& del(std::string_view path, F function, O* object, const RouteOptions& options)
    {
        _routes.del(workspace(path), _workspace, function, object, options).del(client(path), _clients, function, object, options);
        return *this;
    }

private:
    static std::string workspace(std::string_view path) { return "/api/admin" + std::string(path); }
    static std::string client(std::string_view path) { return "/api" + std::string(path); }

    Routes& _routes;
    Access _workspace;
    Access _clients;
};

} // namespace portico::calendar
