#pragma once

#include "portico/Export.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// Declares which callers may use a route. Made by the functions of namespace `access`. A route without one does not compile.
struct Access
{
    bool open = false;
    bool bearer = false;
    bool apiKey = false;
    /// The service's cookies are the credential: the handler reads them, the host applies the CSRF rule.
    bool cookie = false;
    /// Full permission (`crm.contacts:read`), or without the service (`contacts:read`: the host completes it). Empty: only the caller's
    /// own records.
    std::string permission = {};
    /// Scope that a key must hold; checked against the manifest like the permission. Empty together with the permission: any valid key.
    std::string scope = {};
    /// Set by `orScope`; empty: none.
    std::string otherScope = {};

    /// A type of resource that keys can be restricted to, and the resource of a request.
    struct Binding
    {
        std::string type;
        /// Path parameter that holds its id; empty: the handler asks `Caller::reaches`.
        std::string parameter = {};
        /// Index of this parameter in the pattern. Set with the declaration.
        std::size_t index = 0;
    };
    std::vector<Binding> bindings = {};
    /// Rejects impersonated sessions with 403 `permission_denied`.
    bool inPersonOnly = false;
    /// Set by `freshProof`.
    bool freshProofOnly = false;
    /// Service principals may call: OAuth clients with an access token for themselves (`client_credentials`). They have neither
    /// role nor permissions, so `permission`, `scope` and `bindings` do not apply to them.
    bool service = false;
    /// Required scope word of a service token. Empty: the client must represent a service (`Caller::ownServiceId`).
    std::string serviceScope = {};
    /// Set by `orOwnService`.
    Binding ownService = {};
    /// Set by `orOneService`.
    std::optional<std::string> oneService = {};
    /// Callers of at least this rank are allowed whatever their permissions. If `permission` is set too, its holders are also allowed.
    enum class Rank : std::uint8_t
    {
        None,
        /// Owners, super admins and admins of the active organization, and operators.
        Admin,
        /// Operators of the platform (`Caller::platformBypass`).
        Operator
    };
    Rank rank = Rank::None;
    /// Set by `orSelf`.
    Binding self = {};
    /// Set by `inOrganization`.
    bool organization = false;
    /// Set by `orPersonal`.
    bool personal = false;
    /// Delegated tokens may call (`Caller::delegated`). Set with the declaration for routes that are not on every origin: such
    /// a token is issued for their service.
    bool delegated = false;
    /// Fan-out tokens may call (`Caller::widgetOnly`); `GET /api/widget` needs no such declaration.
    bool widgetToken = false;

    /// Binds a path parameter to a resource that keys can be restricted to: `bind("room", "id")`. A key that is restricted to others gets
    /// 403 `resource_not_bound` before the handler runs, whether or not the resource exists.
    Access bind(std::string_view type, std::string_view parameter) const
    {
        Access bound = *this;
        bound.bindings.push_back({std::string(type), std::string(parameter)});
        return bound;
    }
    /// Declares that the handler checks such resources itself. A list omits what `Caller::reaches` denies; a denied id in a query or a
    /// body is 403 `resource_not_bound`.
    Access bindInHandler(std::string_view type) const { return bind(type, {}); }
    /// Also allows keys with this scope instead of the first one. The handler rejects what requires the first one, with 403
    /// `insufficient_scope`.
    Access orScope(std::string_view other) const
    {
        Access more = *this;
        more.otherScope = other;
        return more;
    }
    /// Allows only admins of the active organization, operators, and holders of the permission if one is set. Others get 403
    /// `permission_denied` before a query or a body is read.
    Access forAdmins() const { return forRank(Rank::Admin); }
    /// Allows only operators of the platform, and holders of the permission if one is set.
    Access forOperators() const { return forRank(Rank::Operator); }
    /// Also allows the user whom the path parameter names. For routes with a rank or a permission.
    Access orSelf(std::string_view parameter) const
    {
        Access more = *this;
        more.self = {"user", std::string(parameter)};
        return more;
    }
    /// Also allows callers in personal context, who need no permission for their own data.
    Access orPersonal() const
    {
        Access more = *this;
        more.personal = true;
        return more;
    }
    /// Applies the active organization's policy (addresses, second factor), as a named permission would. For routes on every origin without
    /// a permission. The handler checks rights itself.
    Access inOrganization() const
    {
        Access narrowed = *this;
        narrowed.organization = true;
        return narrowed;
    }
    /// Rejects impersonated sessions. For actions that only users themselves may perform, such as changing how they sign in.
    Access inPerson() const
    {
        Access own = *this;
        own.inPersonOnly = true;
        return own;
    }
    /// Requires a sign-in that was confirmed recently (`POST /api/auth/step-up`). Others get 403 `step_up_required` before a query or a
    /// body is read. For routes with access tokens; keys and service principals have no sign-in, so they are rejected. The answer is as of
    /// this check: a handler that must know at its commit asks again in its transaction.
    Access freshProof() const
    {
        Access proven = *this;
        proven.freshProofOnly = true;
        return proven;
    }
    /// Also allows delegated tokens on a route of every origin. Other such routes reject them with 403 `permission_denied`, because they
    /// concern the person and the sign-in.
    Access orDelegated() const
    {
        Access more = *this;
        more.delegated = true;
        return more;
    }
    /// Also allows fan-out tokens (`Caller::widgetOnly`), for a route that describes the token itself.
    Access orWidgetToken() const
    {
        Access more = *this;
        more.widgetToken = true;
        return more;
    }
    /// Also allows service principals. With `tokenScope` the token must have that scope, for example an organization's client; without it
    /// the client must represent a service.
    /// @throws Problem at a request: 403 `insufficient_scope`, `permission_denied`. Routes without this call answer 403 `bearer_required`.
    Access orService(std::string_view tokenScope = {}) const
    {
        Access more = *this;
        more.service = true;
        more.serviceScope = tokenScope;
        return more;
    }
    /// Also allows the service that the path parameter names. Any other service gets 403 `permission_denied`.
    Access orOwnService(std::string_view parameter) const
    {
        Access more = orService();
        more.ownService = {"service", std::string(parameter)};
        return more;
    }
    /// Also allows this service.
    Access orOneService(std::string_view id) const
    {
        Access more = orService();
        more.oneService = id;
        return more;
    }

private:
    Access forRank(Rank wanted) const
    {
        Access ranked = *this;
        ranked.rank = wanted;
        return ranked;
    }
};

namespace access
{
/// Allows everyone, without a credential. A credential that is sent is ignored.
inline Access open() { return {.open = true}; }
/// Requires a user's access token. If `permission` is empty, the handler must access only the caller's own records.
inline Access bearer(std::string_view permission = {}) { return {.bearer = true, .permission = std::string(permission)}; }
/// Requires an access token, or an API key with the scope whose owner has the permission.
inline Access bearerOrKey(std::string_view permission, std::string_view scope)
{
    return {.bearer = true, .apiKey = true, .permission = std::string(permission), .scope = std::string(scope)};
}
/// Allows only service principals: see `Access::orService`.
inline Access service(std::string_view tokenScope = {}) { return Access{}.orService(tokenScope); }
/// Requires the cookies of the service. The CSRF rule of the conventions applies.
inline Access cookie() { return {.cookie = true}; }
/// Accepts an access token, or the cookies if no token is sent.
inline Access bearerOrCookie() { return {.bearer = true, .cookie = true}; }
} // namespace access

} // namespace portico
