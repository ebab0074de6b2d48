#pragma once

#include "portico/Export.h"

#include <cstddef>
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
/// The cookies of the service; CSRF rule of the conventions.
inline Access cookie() { return {.cookie = true}; }
/// A token when one is sent, else the cookies.
inline Access bearerOrCookie() { return {.bearer = true, .cookie = true}; }
} // namespace access

} // namespace portico
