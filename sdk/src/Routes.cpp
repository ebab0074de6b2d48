#include "portico/Routes.h"

#include "OpenApi.h"

#include <algorithm>
#include <stdexcept>

namespace portico
{

namespace
{

constexpr std::uint64_t jsonBodyLimit = 256 * 1024;

/// Names of the `{name}` segments. @throws std::invalid_argument when the pattern is none.
std::vector<std::string_view> parametersOf(std::string_view pattern)
{
    const auto fail = [&](const char* why) { throw std::invalid_argument("Route pattern \"" + std::string(pattern) + "\": " + why); };
    if (!pattern.starts_with('/')) fail("must start with /");
    if (pattern.size() > 1 && pattern.ends_with('/')) fail("must not end with /");
    std::vector<std::string_view> parameters;
    for (std::size_t at = 0; at < pattern.size();)
    {
        const auto end = std::min(pattern.find('/', at + 1), pattern.size());
        const auto segment = pattern.substr(at + 1, end - at - 1);
        if (segment.empty() && pattern.size() > 1) fail("has an empty segment");
        if (segment.starts_with('{') != segment.ends_with('}') || segment == "{}") fail("a parameter is a whole segment, {name}");
        if (segment.starts_with('{')) parameters.push_back(segment.substr(1, segment.size() - 2));
        at = end;
    }
    if (parameters.size() > Request::maxPathParameters) fail("has too many parameters");
    return parameters;
}

/// A name that two arguments read from the query, or empty.
std::string_view queryNameTwice(const detail::Operation& operation)
{
    std::vector<std::string_view> names;
    if (operation.paging) names = {"limit", "cursor", "include"};
    names.insert(names.end(), operation.repeatedQuery.begin(), operation.repeatedQuery.end());
    for (const auto* type : operation.query)
        for (std::size_t i = 0; i < type->memberCount; ++i)
        {
            const auto member = type->members[i].name;
            if (std::find(names.begin(), names.end(), member) != names.end()) return member;
            names.push_back(member);
        }
    return {};
}

} // namespace

Routes::Routes() : _components(std::make_shared<detail::Components>()) {}
Routes::~Routes() = default;

std::vector<RouteDeclaration> Routes::take() { return std::exchange(_routes, {}); }

Routes& Routes::alsoOn(std::vector<std::string> services)
{
    _alsoOn = std::move(services);
    return *this;
}

Routes& Routes::forward(std::string_view path, Access access, const ForwardOptions& options)
{
    const auto refuse = [&](const std::string& why)
    { throw std::invalid_argument("Forwarded path \"" + std::string(path) + "\": " + why); };
    if (!path.starts_with("/api/") || path.starts_with("/api/auth/") || !parametersOf(path).empty())
        refuse("must be /api/… without parameters, outside of /api/auth");
    if (access.open || access.cookie) refuse("must require a credential");
    access.delegated = true;
    RouteDeclaration route;
    route.kind = RouteKind::Forward;
    route.pattern = path;
    route.access = std::move(access);
    route.defaultQuery = options.defaultQuery;
    route.undocumented = true;
    _routes.push_back(std::move(route));
    return *this;
}

RouteDeclaration& Routes::beginCheck()
{
    if (_routes.empty() || _routes.back().kind != RouteKind::Handler || _routes.back().body == BodyKind::None)
        throw std::logic_error("beforeBody must follow a route that takes a body");
    _routes.back().checksBeforeBody = true;
    return _routes.back();
}

Routes& Routes::addPageGuard(std::unique_ptr<Handler> handler)
{
    const auto isGuard = [](const RouteDeclaration& route) { return route.kind == RouteKind::PageGuard; };
    if (std::any_of(_routes.begin(), _routes.end(), isGuard)) throw std::logic_error("a plugin has one page guard");
    RouteDeclaration route;
    route.kind = RouteKind::PageGuard;
    route.pattern = "/";
    route.access = access::open();
    route.undocumented = true;
    route.handler = std::move(handler);
    _routes.push_back(std::move(route));
    return *this;
}

Routes& Routes::add(Method method, std::string_view pattern, Access access, const RouteOptions& options, const detail::Operation& operation,
                    std::unique_ptr<Handler> handler)
{
    const auto parameters = parametersOf(pattern);
    const auto refuse = [&](const std::string& why)
    { throw std::invalid_argument("Route " + std::string(name(method)) + " " + std::string(pattern) + ": " + why); };
    if (operation.path.size() > parameters.size() || (operation.path.size() < parameters.size() && !operation.takesRequest))
        refuse("the handler takes " + std::to_string(operation.path.size()) + " path parameters, the pattern has " +
               std::to_string(parameters.size()));
    if (const auto twice = queryNameTwice(operation); !twice.empty())
        refuse("two arguments take the query parameter " + std::string(twice));
    if (access.freshProofOnly && (!access.bearer || options.execution == Execution::ShortRead))
        refuse("freshProof needs access tokens, and is looked up in a database: it cannot be a short read");
    const auto place = [&](Access::Binding& binding)
    {
        if (binding.parameter.empty()) return;
        const auto found = std::find(parameters.begin(), parameters.end(), binding.parameter);
        if (found == parameters.end()) refuse("it binds '" + binding.type + "' to {" + binding.parameter + "}, which the pattern lacks");
        binding.index = static_cast<std::size_t>(found - parameters.begin());
    };
    for (auto& binding : access.bindings) place(binding);
    place(access.ownService);
    place(access.self);
    RouteDeclaration route;
    route.method = method;
    route.pattern = pattern;
    detail::Components ofNobody;
    route.operation =
        detail::describeOperation(method, pattern, access, options, operation, options.undocumented ? ofNobody : *_components);
    // It is kept as long as the plugin, and had grown to up to twice its size.
    route.operation.shrink_to_fit();
    route.components = _components;
    access.delegated |= !options.onEveryOrigin;
    route.access = std::move(access);
    route.body = operation.bodyKind;
    route.bodyLimit = options.bodyLimit != 0 || operation.bodyKind == BodyKind::Upload ? options.bodyLimit : jsonBodyLimit;
    route.onEveryOrigin = options.onEveryOrigin;
    if (route.access.bearer) route.alsoOn = _alsoOn;
    route.execution = options.execution;
    route.idempotencyKey = method == Method::Post && options.idempotencyKey;
    route.crossOrigin = options.crossOrigin;
    route.undocumented = options.undocumented;
    route.cacheControl = options.cacheControl;
    route.problemMediaType = options.problemFormat.mediaType;
    route.handler = std::move(handler);
    _routes.push_back(std::move(route));
    return *this;
}

} // namespace portico
