#include "scim/ScimRoutes.h"

#include "clients/OAuthClient.h"
#include "scim/NameKeys.h"
#include "scim/ScimError.h"

#include "portico/Http.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace portico::identity::scim
{

namespace
{

Response answerOf(const boost::json::object& document, int status = 200)
{
    Response response;
    response.status = status;
    response.contentType = scimMediaType;
    const auto text = boost::json::serialize(document);
    response.body.assign(text.data(), text.size());
    return response;
}

/// Returns the projection of a resource; with a Location for a new one.
Response answerOf(const boost::json::object& resource, const Projection& projection, int status = 200)
{
    auto response = answerOf(projection.of(resource), status);
    response.etag = versionOf(resource);
    if (status == 201) response.addHeader("Location", textOf(resource, "meta", "location"));
    return response;
}

boost::json::object readBody(const RawBody& body)
{
    const auto type = trim(body.contentType.substr(0, body.contentType.find(';')));
    if (!equalsIgnoreCase(type, scimMediaType) && !equalsIgnoreCase(type, "application/json"))
        throw Problem(415, "unsupported_media_type", "Send the body as application/scim+json.");
    const auto text = withoutByteOrderMark(body.data);
    if (!isJson(text)) throw Problem::badRequest("invalidSyntax", "The body is not valid JSON.");
    auto value = boost::json::parse({text.data(), text.size()});
    if (!value.is_object()) throw Problem::badRequest("invalidSyntax", "The body should be an object.");
    return std::move(value.get_object());
}

boost::json::object listOf(boost::json::array resources)
{
    const auto count = static_cast<std::int64_t>(resources.size());
    return {{"schemas", boost::json::array{"urn:ietf:params:scim:api:messages:2.0:ListResponse"}},
            {"totalResults", count},
            {"startIndex", 1},
            {"itemsPerPage", count},
            {"Resources", std::move(resources)}};
}

/// Rejects filters on metadata (RFC 7644, 4).
void refuseFilter(const RawQuery& query)
{
    if (std::ranges::any_of(query.values, [](const auto& one) { return one.first == "filter"; }))
        throw Problem::forbidden("permission_denied", "These are not filtered.");
}

RouteOptions scimRow(std::string_view summary, std::vector<std::string_view> problems = {}, Execution execution = Execution::Worker,
                     int status = 200)
{
    return {.summary = summary,
            .bodyLimit = maxBytes,
            .execution = execution,
            .idempotencyKey = false,
            .problems = std::move(problems),
            .consumes = {scimMediaType, "application/json"},
            .produces = {scimMediaType},
            .statuses = {status},
            .problemFormat = {scimMediaType, &scimError}};
}

const std::array<const Schema*, 3>& allSchemas()
{
    static const std::array<const Schema*, 3> all{&userKind().schema, userKind().extension, &groupKind().schema};
    return all;
}

} // namespace

template <class Store>
void ResourceRoutes<Store>::declare(Routes& routes, const std::string& path, const ResourceSummaries& summaries)
{
    const auto client = access::service(scimScope);
    const std::vector<std::string_view> filtered = {"400 invalidFilter"};
    const std::vector<std::string_view> changes = {"400 invalidValue", "409 uniqueness", "403 outranked", "412 version_conflict"};
    const auto one = path + "/{id}";
    routes.get(path, client, &ResourceRoutes::list, this, scimRow(summaries.list, filtered))
        .post(path, client, &ResourceRoutes::create, this, scimRow(summaries.create, changes, Execution::Worker, 201))
        .post(path + "/.search", client, &ResourceRoutes::search, this, scimRow(summaries.list, filtered))
        .get(one, client, &ResourceRoutes::show, this, scimRow(summaries.show))
        .put(one, client, &ResourceRoutes::replace, this, scimRow(summaries.replace, changes))
        .patch(one, client, &ResourceRoutes::patch, this, scimRow(summaries.patch, changes))
        .del(one, client, &ResourceRoutes::remove, this, scimRow(summaries.remove, changes, Execution::Worker, 204));
}

template <class Store>
Projection ResourceRoutes<Store>::projectionOf(const Request& request) const
{
    return {request.queryParameter("attributes").value_or(""), request.queryParameter("excludedAttributes").value_or(""), _kind};
}

template <class Store>
Response ResourceRoutes<Store>::list(const Request& request, const RawQuery&) const
{
    return answerOf(_store.list(Call::of(request), ListQuery::of(request, _kind)));
}

template <class Store>
Response ResourceRoutes<Store>::search(const Request& request, const RawQuery&, const RawBody& body) const
{
    return answerOf(_store.list(Call::of(request), ListQuery::of(readBody(body), _kind)));
}

template <class Store>
Response ResourceRoutes<Store>::create(const Request& request, const RawQuery&, const RawBody& body)
{
    return answerOf(_store.create(Call::of(request), readBody(body)), projectionOf(request), 201);
}

template <class Store>
Response ResourceRoutes<Store>::show(const Request& request, const Path<std::string>& id, const RawQuery&) const
{
    const auto projection = projectionOf(request);
    return answerOf(_store.find(Call::of(request), *id, projection), projection);
}

template <class Store>
Response ResourceRoutes<Store>::replace(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    const auto edit = replacement(readBody(body), _kind);
    return answerOf(_store.change(Call::of(request), *id, request.header("If-Match"), edit), projectionOf(request));
}

template <class Store>
Response ResourceRoutes<Store>::patch(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    const auto call = Call::of(request);
    const auto sent = readBody(body);
    return answerOf(_store.change(call, *id, request.header("If-Match"), patching(sent, _kind, call.budget)), projectionOf(request));
}

template <class Store>
NoContent ResourceRoutes<Store>::remove(const Request& request, const Path<std::string>& id, const RawQuery&)
{
    _store.remove(Call::of(request), *id, request.header("If-Match"));
    return {};
}

ScimRoutes::ScimRoutes(Core& core) : _core(core), _people(core, userKind()), _groups(core, groupKind()), _base(baseOf(core)) {}

void ScimRoutes::start() { refoldNames(_core.database); }

void ScimRoutes::declare(Routes& routes)
{
    const auto client = access::service(scimScope);
    _people.declare(
        routes, "/scim/v2/Users",
        {"List users", "Create a user", "Read a user", "Replace a user", "Update a user", "Remove a user from the organization"});
    _groups.declare(routes, "/scim/v2/Groups",
                    {"List groups", "Create a group", "Read a group", "Replace a group", "Change a group", "Remove a group"});
    routes.post("/scim/v2/Bulk", client, &ScimRoutes::bulk, this, scimRow("Apply several changes", {"400 invalidSyntax"}, Execution::Long));
    routes
        .get("/scim/v2/ServiceProviderConfig", client, &ScimRoutes::provider, this, scimRow("Read the configuration of the SCIM provider"))
        .get("/scim/v2/Schemas", client, &ScimRoutes::schemas, this, scimRow("List schemas"))
        .get("/scim/v2/Schemas/{id}", client, &ScimRoutes::schema, this, scimRow("Read a schema"))
        .get("/scim/v2/ResourceTypes", client, &ScimRoutes::resourceTypes, this, scimRow("List resource types"))
        .get("/scim/v2/ResourceTypes/{id}", client, &ScimRoutes::resourceType, this, scimRow("Read a resource type"));
}

Response ScimRoutes::bulk(const Request& request, const RawQuery&, const RawBody& body)
{
    const auto call = Call::of(request);
    return answerOf(BulkRequest(_people.store(), _groups.store(), call).run(readBody(body)));
}

Response ScimRoutes::provider(const RawQuery&) const { return answerOf(providerDocument(_base)); }

Response ScimRoutes::schemas(const RawQuery& query) const
{
    refuseFilter(query);
    boost::json::array all;
    for (const auto* one : allSchemas()) all.push_back(schemaDocument(*one, _base));
    return answerOf(listOf(std::move(all)));
}

Response ScimRoutes::schema(const Path<std::string>& urn, const RawQuery&) const
{
    const auto found = std::ranges::find_if(allSchemas(), [&](const Schema* one) { return equalsIgnoreCase(one->urn, *urn); });
    if (found == allSchemas().end()) throw Problem::notFound();
    return answerOf(schemaDocument(**found, _base));
}

Response ScimRoutes::resourceTypes(const RawQuery& query) const
{
    refuseFilter(query);
    return answerOf(listOf({resourceTypeDocument(userKind(), _base), resourceTypeDocument(groupKind(), _base)}));
}

Response ScimRoutes::resourceType(const Path<std::string>& name, const RawQuery&) const
{
    for (const auto* kind : {&userKind(), &groupKind()})
        if (kind->name == *name) return answerOf(resourceTypeDocument(*kind, _base));
    throw Problem::notFound();
}

} // namespace portico::identity::scim
