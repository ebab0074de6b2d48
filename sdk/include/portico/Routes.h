#pragma once

#include "portico/Access.h"
#include "portico/Arguments.h"
#include "portico/CrossOrigin.h"
#include "portico/Handler.h"
#include "portico/Http.h"
#include "portico/Results.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

/// Where a handler runs.
enum class Execution : std::uint8_t
{
    /// On a worker thread: the handler may wait for its database and for calls.
    Worker,
    /// On the connection's event loop: never blocks.
    EventLoop,
    /// For handlers that only read a few rows by key, with one session at a time. Runs on the connection's event loop if the database is
    /// SQLite with a free session, the caller is cached and the request has no query; otherwise on a worker.
    ShortRead,
    /// On a small pool for CPU-bound work of a fraction of a second, such as password hashing.
    Heavy,
    /// Runs on a small separate pool, for work of several seconds, such as an import that finishes before its response. Only the handler
    /// runs there: the host authenticates the caller and receives the body before.
    Long
};

/// Options of a route beyond method, path, access and function. The defaults suit an ordinary API route.
struct RouteOptions
{
    /// One line for the API document.
    std::string_view summary = {};
    /// Text for the API document instead of the generated one about `access`: for routes whose handler checks a credential itself.
    std::string_view description = {};
    /// Maximum body in bytes, for a form the maximum file; 0: 256 KiB for JSON, the host's setting for uploads.
    std::uint64_t bodyLimit = 0;
    /// Also served under `/api/auth/…` on the origin of every service, with that service as `Request::originService`.
    bool onEveryOrigin = false;
    Execution execution = Execution::Worker;
    /// POST only: honours Idempotency-Key. Off for calls that create nothing (login, validation).
    bool idempotencyKey = true;
    /// Pages that may read the responses, in addition to those of registered origins.
    CrossOrigin crossOrigin = {};
    /// Omits the route from the API document (browser pages, aliases). Outside of `/api/` such a route ignores unknown query parameters,
    /// because mail programs and networks append their own to links (`utm_source`, `fbclid`), and users must not see a problem document
    /// because of them.
    bool undocumented = false;
    /// Cache-Control of successful answers; empty: `no-store`.
    std::string_view cacheControl = {};
    /// Problem codes of this route in addition to the shared ones, for the API document: `409 slug_in_use`.
    std::vector<std::string_view> problems = {};
    /// Media types of the body that an `Upload` or `RawBody` takes, for the API document: `text/csv`, `image/*`. The handler
    /// must reject other types itself. Empty: any (`*/*`).
    std::vector<std::string_view> consumes = {};
    /// Media types of the response of a handler that returns a `Stream`, `File` or `Response`, for the API document. Empty: any (`*/*`).
    std::vector<std::string_view> produces = {};
    /// Success statuses of a handler that chooses its status (`Reply`, `Response`, `Created`), for the API document: `{202}`. Empty: the
    /// status of the result type. `TestHost` rejects a response with any other status.
    std::vector<int> statuses = {};
    /// Ignores unknown query parameters instead of rejecting them, as OAuth requires of its endpoints (RFC 6749, 3.1 and
    /// 3.2).
    bool anyQuery = false;
    /// Error format of the route; empty: problem documents.
    ProblemFormat problemFormat = {};
};

/// Options of a forwarded path.
struct ForwardOptions
{
    /// Query parameter with its value (`service_id=crm`) that a GET gets if it has none of that name.
    std::string_view defaultQuery = {};
};

enum class RouteKind : std::uint8_t
{
    Handler,
    /// Runs before a page of the service is served.
    PageGuard,
    /// Has no handler: gateway routes under a path of the service.
    Forward
};

/// Declaration of a route. Contains no pointer into the plugin.
struct Route
{
    RouteKind kind = RouteKind::Handler;
    /// Set for a forwarded path (`ForwardOptions::defaultQuery`).
    std::string defaultQuery;
    Method method = Method::Get;
    std::string pattern;
    Access access;
    BodyKind body = BodyKind::None;
    std::uint64_t bodyLimit = 0;
    bool onEveryOrigin = false;
    /// Services on whose origins the route is also served.
    std::vector<std::string> alsoOn;
    Execution execution = Execution::Worker;
    bool idempotencyKey = false;
    /// The handler checks a request before its body is received (`Routes::beforeBody`).
    bool checksBeforeBody = false;
    CrossOrigin crossOrigin;
    bool undocumented = false;
    std::string cacheControl;
    /// Media type of its problems (`ProblemFormat`); empty: they are problem documents.
    std::string problemMediaType;
    /// Text of the OpenAPI 3.1 operation object.
    std::string operation;
    /// Component schemas that the plugin's routes refer to: name to JSON text. All routes of a plugin have the same.
    std::shared_ptr<const std::map<std::string, std::string>> components;
};

/// A route as a plugin declares it.
struct RouteDeclaration : Route
{
    std::unique_ptr<Handler> handler;
};

/// Collects a plugin's routes. Patterns are literal segments and `{name}` segments; a literal wins over a parameter. Used by one thread, in
/// `declare`.
class PORTICO_API Routes
{
public:
    Routes();
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;
    ~Routes();

    // The function is a member function of the object, const or not, with the arguments and results that `checkSignature` accepts.
    template <class F, class O>
    Routes& get(std::string_view pattern, Access access, F function, O* object, const RouteOptions& options = {})
    {
        return bind(Method::Get, pattern, std::move(access), function, object, options);
    }
    template <class F, class O>
    Routes& post(std::string_view pattern, Access access, F function, O* object, const RouteOptions& options = {})
    {
        return bind(Method::Post, pattern, std::move(access), function, object, options);
    }
    template <class F, class O>
    Routes& put(std::string_view pattern, Access access, F function, O* object, const RouteOptions& options = {})
    {
        return bind(Method::Put, pattern, std::move(access), function, object, options);
    }
    template <class F, class O>
    Routes& patch(std::string_view pattern, Access access, F function, O* object, const RouteOptions& options = {})
    {
        return bind(Method::Patch, pattern, std::move(access), function, object, options);
    }
    template <class F, class O>
    Routes& del(std::string_view pattern, Access access, F function, O* object, const RouteOptions& options = {})
    {
        return bind(Method::Delete, pattern, std::move(access), function, object, options);
    }

    /// Calls the function for each request of the route declared last, before the host receives the body. The body of a rejected request
    /// is not stored, and the client can read the response while it sends. The function is a member function of the object, const or not,
    /// returns nothing and takes the arguments of a handler except a body. Runs on a worker after the access check, and again if a reload
    /// replaces the route. @throws std::logic_error without a route, or if it takes no body
    template <class C, class... A, class O>
    Routes& beforeBody(void (C::*function)(A...), O* object)
    {
        return check<A...>(function, object);
    }
    template <class C, class... A, class O>
    Routes& beforeBody(void (C::*function)(A...) const, O* object)
    {
        return check<A...>(function, object);
    }

    /// Also serves the routes declared after this call that accept access tokens on the origins of these services, as `onEveryOrigin` does
    /// for all services. An empty list ends this.
    Routes& alsoOn(std::vector<std::string> services);

    /// Serves gateway routes under a path of this service: `/api/households` and all paths below it lead to the routes that every origin
    /// has at and below `/api/auth/households`, with their methods, parameters and checks. The caller must also satisfy `access` with
    /// rights in this service. Answers 503 `service_disabled` while no service provides gateway routes.
    /// @param path starts with `/api/` and has no parameters
    /// @throws std::invalid_argument for another path, or if `access` is open
    Routes& forward(std::string_view path, Access access, const ForwardOptions& options = {});

    /// Calls the function before the host serves a page of this service: `/` and the paths of `web.routes`, files excepted. The function is
    /// a member function of the object, `std::optional<Redirect>(const Request&)`. An empty result serves the page. The request has no
    /// caller; cookies can be read. Runs on a worker. @throws std::logic_error if there is a page guard already
    template <class C, class O>
    Routes& guardPages(std::optional<Redirect> (C::*function)(const Request&), O* object)
    {
        return addPageGuard(std::make_unique<detail::PageGuard<decltype(function), O>>(function, object));
    }
    template <class C, class O>
    Routes& guardPages(std::optional<Redirect> (C::*function)(const Request&) const, O* object)
    {
        return addPageGuard(std::make_unique<detail::PageGuard<decltype(function), O>>(function, object));
    }

    /// Moves the collected routes out. For the host.
    std::vector<RouteDeclaration> take();

private:
    template <class R, class C, class... A, class O>
    Routes& bind(Method method, std::string_view pattern, Access access, R (C::*function)(A...), O* object, const RouteOptions& options)
    {
        return bindAs<R, A...>(method, pattern, std::move(access), function, object, options);
    }
    template <class R, class C, class... A, class O>
    Routes& bind(Method method, std::string_view pattern, Access access, R (C::*function)(A...) const, O* object,
                 const RouteOptions& options)
    {
        return bindAs<R, A...>(method, pattern, std::move(access), function, object, options);
    }
    template <class R, class... A, class F, class O>
    Routes& bindAs(Method method, std::string_view pattern, Access access, F function, O* object, const RouteOptions& options)
    {
        if constexpr (detail::checkSignature<std::remove_cvref_t<R>, std::remove_cvref_t<A>...>())
        {
            detail::Operation operation;
            (detail::Argument<std::remove_cvref_t<A>>::describe(operation), ...);
            detail::Result<std::remove_cvref_t<R>>::describe(operation);
            operation.anyQuery = operation.anyQuery || options.anyQuery || (options.undocumented && !pattern.starts_with("/api/"));
            return add(method, pattern, std::move(access), options, operation,
                       std::make_unique<detail::MemberHandler<R, F, O, A...>>(function, object, operation, options.problemFormat.write));
        }
        else
            return *this;
    }
    Routes& add(Method method, std::string_view pattern, Access access, const RouteOptions& options, const detail::Operation& operation,
                std::unique_ptr<Handler> handler);

    template <class... A, class F, class O>
    Routes& check(F function, O* object)
    {
        static_assert((detail::Argument<std::remove_cvref_t<A>>::allowed && ...), "A check takes the arguments of a handler");
        static_assert(!(detail::takesBody<std::remove_cvref_t<A>> || ...), "A check runs before the body");
        auto& route = beginCheck();
        route.handler = std::make_unique<detail::CheckedHandler<F, O, A...>>(std::move(route.handler), function, object);
        return *this;
    }
    RouteDeclaration& beginCheck();

    Routes& addPageGuard(std::unique_ptr<Handler> handler);

    std::vector<RouteDeclaration> _routes;
    std::vector<std::string> _alsoOn;
    std::shared_ptr<std::map<std::string, std::string>> _components;
};

} // namespace portico
