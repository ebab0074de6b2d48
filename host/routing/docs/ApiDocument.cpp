#include "host/routing/docs/ApiDocument.h"

#include "host/base/Digests.h"

#include <Poco/String.h>
#include <boost/json.hpp>

#include <set>
#include <string_view>

namespace portico::host::routing
{

namespace
{

namespace json = boost::json;

constexpr std::string_view problemComponents = R"({
"Problem":{"type":"object","description":"An error (RFC 9457).","required":["type","title","status","code","requestId"],"properties":{
"type":{"type":"string"},"title":{"type":"string"},"status":{"type":"integer"},
"code":{"type":"string","description":"Machine code of the error."},
"detail":{"type":"string","description":"Human-readable explanation."},
"requestId":{"type":"string","description":"Names this request in the server's log; equals X-Request-Id."},
"errors":{"type":"array","items":{"$ref":"#/components/schemas/ProblemField"}},
"details":{"type":"object","description":"Details of this error, which depend on its code."}}},
"ProblemField":{"type":"object","description":"Error in one member of the input.","required":["field","code","message"],"properties":{
"field":{"type":"string","description":"Path of the member, for example emails[0].address."},"code":{"type":"string"},"message":{"type":"string"}}}})";

constexpr std::string_view problemResponse = R"({"description":"Any error: see the status and the member code.",
"content":{"application/problem+json":{"schema":{"$ref":"#/components/schemas/Problem"}}}})";

constexpr std::string_view securitySchemes = R"({
"bearer":{"type":"http","scheme":"bearer","bearerFormat":"JWT","description":"Access token of a signed-in user, for this service."},
"apiKey":{"type":"apiKey","in":"header","name":"X-Api-Key","description":"Key of a user or an organization, limited to its scopes."},
"cookie":{"type":"apiKey","in":"cookie","name":"__Host-platform_refresh",
"description":"Cookie of a signed-in browser; needs X-Platform-Auth: 1 and a registered Origin, except for GET."},
"service":{"type":"http","scheme":"bearer","bearerFormat":"JWT",
"description":"Access token that an OAuth client got for itself (client_credentials); with the scope that is named, else of a client that represents a service."}})";

struct HostOperation
{
    std::string_view path;
    std::string_view operation;
};
constexpr HostOperation hostOperations[] = {
    {"/healthz",
     R"({"operationId":"getHealthz","tags":["health"],"summary":"Check whether the process runs","description":"Answers as long as the server runs.",
"security":[],"parameters":[],"responses":{"200":{"description":"Alive"},"default":{"$ref":"#/components/responses/Problem"}}})"},
    {"/readyz",
     R"({"operationId":"getReadyz","tags":["health"],"summary":"Check whether the service accepts requests","description":"Lists the failed dependencies if it does not.",
"security":[],"parameters":[],"responses":{"200":{"description":"Ready"},"503":{"description":"Not ready"},"default":{"$ref":"#/components/responses/Problem"}}})"},
    {"/health",
     R"({"operationId":"getHealth","tags":["health"],"summary":"Check the service's dependencies","description":"Lists each dependency with its status and latency.",
"security":[],"parameters":[],"responses":{"200":{"description":"Healthy"},"503":{"description":"A dependency fails"},
"default":{"$ref":"#/components/responses/Problem"}}})"},
};

std::string describeAccess(const Access& access)
{
    using Rank = Access::Rank;
    if (access.open) return "Needs no credential.";
    if (access.cookie)
        return access.bearer ? "Takes an access token, else the cookies of a signed-in browser."
                             : "Takes the cookies of a signed-in browser.";
    const bool servicesOnly = access.service && !access.bearer && !access.apiKey;
    std::string text = servicesOnly                 ? "Needs the access token of a service."
                       : !access.permission.empty() ? "Needs the permission `" + access.permission + "`."
                       : access.rank == Rank::None  ? "Needs an access token."
                       : access.rank == Rank::Admin ? "Admins of the organization may call it."
                                                    : "Operators of the platform may call it.";
    if (!access.permission.empty() && access.rank != Rank::None)
        text += access.rank == Rank::Admin ? " Admins may call it without." : " Operators may call it without.";
    if (!access.self.parameter.empty()) text += " Users may call it about themselves.";
    if (access.personal) text += " In personal context it takes none.";
    if (access.apiKey)
        text += access.scope.empty() ? " Any valid API key may call it."
                                     : " An API key needs the scope `" + access.scope +
                                           (access.otherScope.empty() ? "" : "` or `" + access.otherScope) + "`.";
    if (!access.serviceScope.empty())
        text += " The token of a service needs the scope `" + access.serviceScope + "`.";
    else if (access.service && !servicesOnly)
        text += access.ownService.parameter.empty() ? " Services may call it." : " The service itself may call it.";
    return text;
}

/// Collects operations, their tags and the schemas that they name.
class Assembly
{
public:
    void add(const plugins::RouteInfo& route) { add(route, route.pattern); }

    void add(const plugins::RouteInfo& route, std::string_view pattern)
    {
        if (route.undocumented || route.operation.empty()) return;
        auto operation = json::parse(route.operation).as_object();
        if (!operation.contains("description")) operation["description"] = describeAccess(route.access);
        if (route.components && std::exchange(_read, route.components) != route.components)
            for (const auto& [name, schema] : *route.components)
                if (!_schemas.contains(name)) _schemas.emplace(name, json::parse(schema));
        add(pattern, Poco::toLower(std::string(name(route.method))), std::move(operation));
    }

    void addHostOperations()
    {
        for (const auto& host : hostOperations)
            if (!_paths.contains(host.path)) add(host.path, "get", json::parse(host.operation).as_object());
    }

    json::object finish(const plugins::Manifest& manifest, const std::string& origin)
    {
        json::array tags;
        for (const auto& tag : _tags) tags.push_back(json::object{{"name", tag}, {"description", "Operations on " + tag + "."}});
        auto schemas = json::parse(problemComponents).as_object();
        for (auto& [name, schema] : _schemas) schemas.insert_or_assign(name, std::move(schema));
        return {{"openapi", "3.1.0"},
                {"info",
                 {{"title", manifest.name.empty() ? manifest.serviceId : manifest.name},
                  {"version", "1.0.0"},
                  {"description", "The HTTP interface of the service " + manifest.serviceId + ". Errors are problem documents (RFC 9457)."},
                  {"contact", {{"name", manifest.serviceId}, {"url", origin + "/docs"}}}}},
                {"servers", json::array{json::object{{"url", origin}}}},
                {"tags", std::move(tags)},
                {"paths", std::move(_paths)},
                {"components",
                 {{"schemas", std::move(schemas)},
                  {"responses", {{"Problem", json::parse(problemResponse)}}},
                  {"securitySchemes", json::parse(securitySchemes)}}}};
    }

private:
    void add(std::string_view path, std::string_view method, json::object operation)
    {
        if (const auto* tags = operation.if_contains("tags"))
            for (const auto& tag : tags->as_array()) _tags.emplace(tag.as_string());
        makeIdUnique(operation);
        auto& item = _paths[path];
        if (!item.is_object()) item.emplace_object();
        item.as_object().insert_or_assign(method, std::move(operation));
    }

    /// `/api/login` and its alias `/login` are given the same id by the SDK.
    void makeIdUnique(json::object& operation)
    {
        const auto* given = operation.if_contains("operationId");
        if (given == nullptr) return;
        const std::string id(given->as_string());
        std::string unique = id;
        for (int number = 2; !_ids.insert(unique).second; ++number) unique = id + std::to_string(number);
        operation["operationId"] = unique;
    }

    json::object _paths;
    json::object _schemas;
    /// The components that were read last: mostly those of all routes.
    std::shared_ptr<const std::map<std::string, std::string>> _read;
    std::set<std::string> _tags;
    std::set<std::string> _ids;
};

} // namespace

const ApiDocument::Text& ApiDocument::text() const
{
    std::call_once(_rendered,
                   [this]
                   {
                       Assembly assembly;
                       if (_service.routes)
                           for (const auto& route : *_service.routes) assembly.add(route);
                       for (const auto& forwarded : _forwarded) assembly.add(*forwarded.route, forwarded.pattern);
                       assembly.addHostOperations();
                       _text.json = json::serialize(assembly.finish(*_service.manifest, _origin));
                       _text.etag = '"' + sha256Hex(_text.json).substr(0, 32) + '"';
                   });
    return _text;
}

} // namespace portico::host::routing
