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
    /// Full permission (`crm.contacts:read`), or without the service (`contacts:read`: the host completes it). Empty: the caller's own
    /// things.
    std::string permission = {};
    /// Scope that a key must hold; checked against the manifest like the permission. Empty together with the permission: any valid key.
    std::string scope = {};
    /// Set by `orScope`; empty: none.
    std::string otherScope = {};

    /// A type of resource that keys may be narrowed to, and which of them a request is about.
    struct Binding
    {
        std::string type;
        /// Path parameter that holds its id; empty: the handler asks `Caller::reaches`.
        std::string parameter = {};
        /// Which of the pattern's parameters that is; set with the declaration.
        std::size_t index = 0;
    };
    std::vector<Binding> bindings = {};
    /// Rejects impersonated sessions with 403 `permission_denied`.
    bool inPersonOnly = false;
    /// Service principals may call: OAuth clients with an access token that they got for themselves (`client_credentials`). They have
    /// neither role nor permissions, so that `permission`, `scope` and `bindings` are not asked of them.
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
    /// Delegated tokens may call (`Caller::delegated`). Set with the declaration for routes that are not on every origin: what such a
    /// token is for is their service.
    bool delegated = false;
    /// Fan-out tokens may call (`Caller::widgetOnly`); `GET /api/widget` needs no such declaration.
    bool widgetToken = false;

    /// The same for routes whose path names a resource that keys may be narrowed to: `bind("room", "id")`. A key that is narrowed to others
    /// gets 403 `resource_not_bound` before the handler runs, whether there is such a resource or not.
    Access bind(std::string_view type, std::string_view parameter) const
    {
        Access bound = *this;
        bound.bindings.push_back({std::string(type), std::string(parameter)});
        return bound;
    }
    /// The same for routes that meet such resources elsewhere: a list leaves out what `Caller::reaches` denies, an id in a query or a body
    /// that it denies is 403 `resource_not_bound`. This says that the handler does so.
    Access bindInHandler(std::string_view type) const { return bind(type, {}); }
    /// The same for keys that hold this scope in place of the first. The handler refuses what only the first opens, with 403
    /// `insufficient_scope`.
    Access orScope(std::string_view other) const
    {
        Access more = *this;
        more.otherScope = other;
        return more;
    }
    /// The same for admins of the active organization and operators, and for those who hold the permission where one is named: others get
    /// 403 `permission_denied` before a query or a body is looked at.
    Access forAdmins() const { return forRank(Rank::Admin); }
    /// The same for operators of the platform, and for those who hold the permission where one is named.
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
    /// The same for what only people themselves may do, such as changing how they sign in: not for who impersonates them.
    Access inPerson() const
    {
        Access own = *this;
        own.inPersonOnly = true;
        return own;
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
    /// The same for the one service that the path parameter names; any other is 403 `permission_denied`.
    Access orOwnService(std::string_view parameter) const
    {
        Access more = orService();
        more.ownService = {"service", std::string(parameter)};
        return more;
    }
    /// The same for that one service.
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
/// Anyone, without a credential. One that is sent is not looked at.
inline Access open() { return {.open = true}; }
/// A user's access token; `permission` empty means that the handler looks only at the caller's own things.
inline Access bearer(std::string_view permission = {}) { return {.bearer = true, .permission = std::string(permission)}; }
/// A token, or an API key that holds the scope and whose owner has the permission.
inline Access bearerOrKey(std::string_view permission, std::string_view scope)
{
    return {.bearer = true, .apiKey = true, .permission = std::string(permission), .scope = std::string(scope)};
}
/// Service principals only: see `Access::orService`.
inline Access service(std::string_view tokenScope = {}) { return Access{}.orService(tokenScope); }
/// The cookies of the service; CSRF rule of the conventions.
inline Access cookie() { return {.cookie = true}; }
/// A token when one is sent, else the cookies.
inline Access bearerOrCookie() { return {.bearer = true, .cookie = true}; }
} // namespace access

} // namespace portico
