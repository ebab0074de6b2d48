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

/// Who may call a route. Made by the functions of namespace `access`; a route without one does not compile.
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
    /// Of `orScope`; empty: none.
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
    /// Refused to an operator who acts as somebody else: 403 `permission_denied`.
    bool inPersonOnly = false;
    /// Service principals may call: OAuth clients with an access token that they got for themselves (`client_credentials`). They have
    /// neither role nor permissions, so that `permission`, `scope` and `bindings` are not asked of them.
    bool service = false;
    /// Word that the scope of such a token must have. Empty: the client must stand for a service (`Caller::ownServiceId`).
    std::string serviceScope = {};
    /// Of `orOwnService`.
    Binding ownService = {};
    /// Of `orOneService`.
    std::optional<std::string> oneService = {};
    /// Whose rank opens the route, whatever their bundles hold; a permission that is named beside it opens it to others.
    enum class Rank : std::uint8_t
    {
        None,
        /// Owners, super admins and admins of the active organization, and operators.
        Admin,
        /// Operators of the platform (`Caller::platformBypass`).
        Operator
    };
    Rank rank = Rank::None;
    /// Of `orSelf`.
    Binding self = {};
    /// Of `inOrganization`.
    bool organization = false;
    /// Of `orPersonal`.
    bool personal = false;
    /// Delegated tokens may call (`Caller::delegated`). Set with the declaration for routes that are not on every origin: what such a
    /// token is for is their service.
    bool delegated = false;

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
    /// Of a route for a rank or with a permission: also for the person whom the path parameter names.
    Access orSelf(std::string_view parameter) const
    {
        Access more = *this;
        more.self = {"user", std::string(parameter)};
        return more;
    }
    /// Of a route with a permission: in personal context, too, where it takes none, because there it is about the caller's own things.
    Access orPersonal() const
    {
        Access more = *this;
        more.personal = true;
        return more;
    }
    /// Of a route on every origin that names no permission: what it is about may be the active organization's, whose policy (addresses,
    /// second factor) lets the caller in as where a permission is named. The handler judges who may.
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
    /// The same for delegated tokens, too, where the route is on every origin: such routes are about the person and the sign-in, which
    /// nobody hands over with a token for one service. Others refuse with 403 `permission_denied`.
    Access orDelegated() const
    {
        Access more = *this;
        more.delegated = true;
        return more;
    }
    /// The same for service principals, too: those whose token has the scope (an organization's client, for one: its organization is the
    /// caller's), or without one those that stand for a service. @throws at a request: Problem 403 `insufficient_scope`,
    /// `permission_denied`; of a route that does not say so 403 `bearer_required`.
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
