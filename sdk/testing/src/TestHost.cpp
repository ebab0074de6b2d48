#include "portico/testing/TestHost.h"

#include "host/base/Text.h"
#include "host/plugins/runtime/RouteCheck.h"
#include "host/routing/access/Authorization.h"

#include "portico/Problem.h"
#include "portico/system/HostRequest.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>
#include <stdexcept>

#include <unistd.h>

namespace portico::testing
{

namespace
{

/// The body of an upload, in memory.
class MemoryFile final : public ReceivedFile
{
public:
    explicit MemoryFile(std::string_view text) : _text(text) {}
    std::uint64_t size() const noexcept override { return _text.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) const override
    {
        if (offset >= _text.size()) return 0;
        const auto rest = _text.substr(static_cast<std::size_t>(offset));
        return rest.copy(buffer.data(), buffer.size());
    }

private:
    std::string_view _text;
};

std::vector<std::string_view> segmentsOf(std::string_view path)
{
    std::vector<std::string_view> segments;
    while (!path.empty())
    {
        path.remove_prefix(1); // the slash
        const auto end = path.find('/');
        segments.push_back(path.substr(0, end));
        path = end == std::string_view::npos ? std::string_view() : path.substr(end);
    }
    return segments;
}

/// An answer that the API document does not name is a mistake of the route, not of the test.
void checkStatus(const RouteDeclaration& route, int status)
{
    if (route.undocumented || status < 200 || status > 299 ||
        route.operation.find('"' + std::to_string(status) + "\":{") != std::string::npos)
        return;
    throw std::logic_error(std::string(name(route.method)) + ' ' + route.pattern + " answers " + std::to_string(status) +
                           ", which its API document does not say: name it in RouteOptions::statuses");
}

bool isParameter(std::string_view segment) noexcept { return segment.starts_with('{') && segment.ends_with('}'); }

std::optional<unsigned> hexDigit(char c) noexcept
{
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    return std::nullopt;
}

std::string decoded(std::string_view segment)
{
    std::string text;
    for (std::size_t i = 0; i < segment.size(); ++i)
    {
        const auto high = segment[i] == '%' && i + 2 < segment.size() ? hexDigit(segment[i + 1]) : std::nullopt;
        const auto low = high ? hexDigit(segment[i + 2]) : std::nullopt;
        if (!low)
        {
            text += segment[i];
            continue;
        }
        text += static_cast<char>(*high << 4U | *low);
        i += 2;
    }
    return text;
}

/// The parameters of a pattern that a path matches.
std::optional<std::vector<std::string>> parametersOf(std::string_view pattern, std::string_view path)
{
    const auto wanted = segmentsOf(pattern);
    const auto given = segmentsOf(path);
    if (wanted.size() != given.size()) return std::nullopt;
    std::vector<std::string> parameters;
    for (std::size_t i = 0; i < wanted.size(); ++i)
    {
        if (!isParameter(wanted[i]) && wanted[i] != given[i]) return std::nullopt;
        if (isParameter(wanted[i]) && given[i].empty()) return std::nullopt;
        if (isParameter(wanted[i])) parameters.push_back(decoded(given[i]));
    }
    return parameters;
}

/// Text in which the pattern with a literal at the first difference sorts first, so that it wins.
std::string precedenceOf(std::string_view pattern)
{
    std::string text;
    for (const auto segment : segmentsOf(pattern)) text += isParameter(segment) ? '1' : '0';
    return text;
}

std::vector<HeaderField> headersOf(const TestRequest& request)
{
    std::vector<HeaderField> headers;
    bool typed = false;
    for (const auto& [name, value] : request.headers)
    {
        headers.push_back({name, value});
        typed = typed || equalsIgnoreCase(name, "Content-Type");
    }
    if (!typed && !request.body.empty()) headers.push_back({"Content-Type", "application/json"});
    return headers;
}

Caller callerOf(CredentialKind credential, std::string_view organizationId, std::vector<std::string> permissions)
{
    Caller caller;
    caller.credential = credential;
    caller.principalId = "usr_01jd0000000000000000000000";
    caller.principalType = "user";
    caller.displayName = "Test User";
    caller.email = "user@test.example";
    caller.organizationId = organizationId;
    caller.permissions = std::move(permissions);
    std::sort(caller.permissions.begin(), caller.permissions.end());
    return caller;
}

/// Returns the value at a pointer of a JSON text; nullopt also if the text is not JSON.
std::optional<boost::json::value> valueAt(std::string_view text, std::string_view pointer)
{
    boost::json::error_code error;
    const auto document = boost::json::parse(text, error);
    if (error) return std::nullopt;
    const auto* const found = document.find_pointer(pointer, error);
    return found ? std::optional(*found) : std::nullopt;
}

} // namespace

Caller userOf(std::string_view organizationId, std::vector<std::string> permissions)
{
    auto caller = callerOf(CredentialKind::AccessToken, organizationId, std::move(permissions));
    caller.sessionId = "ses_01jd0000000000000000000000";
    return caller;
}

Caller keyOf(std::string_view organizationId, std::vector<std::string> permissions, std::vector<std::string> scopes)
{
    auto caller = callerOf(CredentialKind::ApiKey, organizationId, std::move(permissions));
    caller.apiKeyId = "key_01jd0000000000000000000000";
    caller.scopes = std::move(scopes);
    std::sort(caller.scopes.begin(), caller.scopes.end());
    return caller;
}

TestAnswer::TestAnswer(Response&& response) : Response(std::move(response)) {}

std::string TestAnswer::at(std::string_view pointer) const
{
    const auto found = valueAt(body, pointer);
    if (!found) throw std::out_of_range("nothing at " + std::string(pointer) + " of " + body);
    return found->is_string() ? std::string(found->as_string()) : boost::json::serialize(*found);
}

bool TestAnswer::has(std::string_view pointer) const { return valueAt(body, pointer).has_value(); }

std::size_t TestAnswer::count(std::string_view pointer) const
{
    const auto found = valueAt(body, pointer);
    if (found && found->is_array()) return found->as_array().size();
    if (found && found->is_object()) return found->as_object().size();
    throw std::out_of_range("no array or object at " + std::string(pointer) + " of " + body);
}

std::string TestAnswer::code() const { return contentType == "application/problem+json" ? at("/code") : std::string(); }

std::vector<std::string> TestAnswer::errors() const
{
    std::vector<std::string> list;
    for (std::size_t i = 0; i < count("/errors"); ++i)
    {
        const auto error = "/errors/" + std::to_string(i);
        list.push_back(at(error + "/field") + ' ' + at(error + "/code"));
    }
    return list;
}

std::string TestAnswer::cookie(std::string_view name) const
{
    const std::string_view headers = headerBlock();
    const auto start = "Set-Cookie: " + std::string(name) + '=';
    const auto found = headers.find(start);
    if (found == std::string_view::npos) return {};
    const auto value = headers.substr(found + start.size());
    return std::string(value.substr(0, value.find_first_of(";\r")));
}

TestHost::TestHost(const TestSettings& settings, const Make& make) : _context(settings), _make(make) { begin(); }

void TestHost::reload()
{
    _context.forget();
    begin()->stop();
}

std::unique_ptr<Plugin> TestHost::begin()
{
    auto plugin = _make(_context);
    plugin->start();
    try
    {
        _routes = routesOf(*plugin);
    }
    catch (...)
    {
        plugin->stop();
        throw;
    }
    _credentials = _context.services().provided<interfaces::Credentials>();
    _plugin.swap(plugin);
    return plugin;
}

std::vector<RouteDeclaration> TestHost::routesOf(Plugin& plugin)
{
    Routes declared;
    plugin.declare(declared);
    auto routes = declared.take();
    auto found = host::plugins::checkRoutes(routes, _context.manifest());
    std::ranges::move(found.warnings, std::back_inserter(found.faults));
    for (const auto& provided : _context.manifest().provides)
        if (!_context.services().provides(provided.interface))
            found.faults.push_back("plugin.provides: expected the interface '" + provided.interface + "' to be provided in start");
    if (!found.faults.empty()) throw std::runtime_error(host::joined("what the plugin declares does not fit its manifest:", found.faults));
    std::set<std::pair<Method, std::string>> seen;
    for (const auto& route : routes)
        if (route.kind == RouteKind::Handler && !seen.emplace(route.method, route.pattern).second)
            throw std::logic_error("two routes of one method and pattern: " + route.pattern);
    return routes;
}

TestHost::~TestHost()
{
    _plugin->stop();
    _routes.clear();
}

TestAnswer TestHost::call(Method method, std::string_view target, std::string_view body, const Caller& caller) const
{
    TestRequest request;
    request.method = method;
    request.target = target;
    request.body = body;
    request.caller = caller;
    return call(request);
}

TestAnswer TestHost::call(const TestRequest& request) const
{
    Response response;
    try
    {
        run(request, response);
    }
    catch (const Problem& problem)
    {
        response.clear();
        response.status = problem.status();
        const auto path = std::string_view(request.target).substr(0, request.target.find('?'));
        const auto route = std::ranges::find_if(_routes, [&](const auto& each)
                                                { return !each.problemMediaType.empty() && parametersOf(each.pattern, path); });
        const bool hasOwn = route != _routes.end();
        response.contentType = hasOwn ? route->problemMediaType : "application/problem+json";
        response.body = hasOwn ? route->handler->problemBody(problem) : problem.toJson("test-request");
        for (const auto& [name, value] : problem.headers()) response.addHeader(name, value);
    }
    return response;
}

void TestHost::run(const TestRequest& request, Response& response) const
{
    const std::string_view target = request.target;
    const auto question = target.find('?');
    const auto path = target.substr(0, question);
    const auto headers = headersOf(request);
    system::HostRequest handled;
    handled.method = request.method;
    handled.path = path;
    handled.query = question == std::string_view::npos ? std::string_view() : target.substr(question + 1);
    handled.headers = headers;
    if (runPageGuard(handled, response)) return;

    std::vector<std::string> parameters;
    const auto& route = match(request, path, parameters);
    const auto routeName = std::string(name(route.method)) + " " + route.pattern;
    const MemoryFile file(request.body);
    if (route.body == BodyKind::Upload)
        handled.file = &file;
    else
        handled.body = request.body;
    handled.originService = request.originService.empty() ? _context.host().serviceId : request.originService;
    const auto origin = "http://" + std::string(handled.originService) + ".localhost:8080";
    handled.origin = origin;
    handled.clientAddress = request.clientAddress;
    handled.requestId = "test-request";
    handled.signCursorsWith("a key that signs cursors in tests");
    handled.setRoute(routeName);
    for (auto& parameter : parameters) handled.addPathParameter(std::move(parameter));
    const auto caller = callerOf(request, handled, route);
    handled.caller = caller.get();
    checkAccess(handled, route.access);
    if (route.checksBeforeBody) route.handler->check(handled);
    route.handler->handle(handled, response);
    checkStatus(route, response.status);
}

/// False for what is no page, and where no guard is declared.
bool TestHost::runPageGuard(Request& request, Response& response) const
{
    const auto guard = std::ranges::find(_routes, RouteKind::PageGuard, &RouteDeclaration::kind);
    const auto& web = _context.manifest().web;
    if (guard == _routes.end() || !web || request.method != Method::Get) return false;
    const auto isPage = [&](std::string_view pattern)
    {
        if (!pattern.ends_with("/**")) return parametersOf(pattern, request.path).has_value();
        pattern.remove_suffix(3);
        return request.path == pattern || request.path.starts_with(std::string(pattern) + '/');
    };
    // The plugin's own route for `/` replaces the redirect to its home, as in a host.
    const auto isOwnRoot = [](const RouteDeclaration& route)
    { return route.kind == RouteKind::Handler && route.method == Method::Get && route.pattern == "/"; };
    const auto routes = web->allRoutes();
    const bool root = request.path == "/" && std::ranges::none_of(_routes, isOwnRoot);
    if (!root && std::ranges::none_of(routes, isPage)) return false;
    request.originService = _context.host().serviceId;
    request.origin = _context.host().origin;
    request.requestId = "test-request";
    guard->handler->handle(request, response);
    if (response.status == 200) response.contentType = "text/html; charset=utf-8";
    return true;
}

const RouteDeclaration& TestHost::match(const TestRequest& request, std::string_view path, std::vector<std::string>& parameters) const
{
    const bool elsewhere = !request.originService.empty() && request.originService != _context.host().serviceId;
    const RouteDeclaration* best = nullptr;
    bool pathKnown = false;
    for (const auto& route : _routes)
    {
        if (route.kind != RouteKind::Handler) continue;
        auto found = parametersOf(route.pattern, path);
        const bool there =
            route.onEveryOrigin || std::find(route.alsoOn.begin(), route.alsoOn.end(), request.originService) != route.alsoOn.end();
        if (!found || (elsewhere && !there)) continue;
        pathKnown = true;
        if (route.method != request.method || (best != nullptr && precedenceOf(best->pattern) <= precedenceOf(route.pattern))) continue;
        best = &route;
        parameters = *std::move(found);
    }
    if (best != nullptr) return *best;
    if (pathKnown) throw Problem(405, "method_not_allowed");
    throw Problem::notFound("There is nothing at this path.");
}

/// Returns the caller of the request's credential if the plugin provides credentials; otherwise the test's caller.
std::shared_ptr<const Caller> TestHost::callerOf(const TestRequest& sent, const Request& request, const RouteDeclaration& route) const
{
    const auto key = request.header("X-Api-Key");
    auto value = key.empty() ? request.header("Authorization") : key;
    if (_credentials == nullptr || value.empty() || route.access.open || (route.access.cookie && !route.access.bearer))
        return {std::shared_ptr<const void>(), &sent.caller};
    const bool bound = key.empty() && value.starts_with("DPoP ");
    if (key.empty()) value.remove_prefix(std::min(value.size(), std::string_view(bound ? "DPoP " : "Bearer ").size()));
    const auto named = route.onEveryOrigin && request.originService == _context.host().serviceId ? request.header("X-Service-ID") : "";
    interfaces::Credential credential{key.empty() ? CredentialKind::AccessToken : CredentialKind::ApiKey, value,
                                      named.empty() ? request.originService : named, request.clientAddress,
                                      !route.onEveryOrigin || !route.access.permission.empty()};
    credential.method = request.method;
    credential.origin = request.origin;
    credential.path = request.path;
    credential.ofOrganization = route.onEveryOrigin && (!route.access.permission.empty() || route.access.organization);
    if (bound)
    {
        credential.presented = interfaces::Credential::Presented::Proof;
        credential.proof = request.header("DPoP");
    }
    return _credentials->validate(credential);
}

/// The caller is already authenticated; the remaining check is which credentials the route accepts.
void TestHost::checkAccess(const Request& request, const Access& access) const
{
    if (access.open || (access.cookie && (!access.bearer || request.caller->anonymous()))) return;
    if (request.caller->anonymous()) throw Problem::unauthorized("authentication_required");
    if (request.caller->credential == CredentialKind::ApiKey && !access.apiKey) throw Problem::forbidden("bearer_required");
    host::routing::checkAccess(request, access, _context.manifest());
    if (access.freshProofOnly && _credentials != nullptr) _credentials->requireFreshProof(*request.caller);
}

std::string TestHost::bodyOf(Response& response)
{
    constexpr std::size_t piece = 64 * 1'024;
    std::string text = response.body;
    if (response.source)
        while (response.source->read(text, piece)) continue;
    if (response.file)
    {
        text.resize(static_cast<std::size_t>(response.file->size));
        if (::pread(response.file->descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("the file of a response cannot be read");
    }
    return text;
}

} // namespace portico::testing
