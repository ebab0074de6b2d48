#include "scim/ScimRoutes.h"

#include "oauth/OAuthClient.h"

#include "portico/Http.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/ScimError.h"
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

/// A resource as it is asked for; a new one says where it is.
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
    if (!isJson(body.data)) throw Problem::badRequest("invalidSyntax", "The body is no JSON.");
    auto value = boost::json::parse({body.data.data(), body.data.size()});
    if (!value.is_object()) throw Problem::badRequest("invalidSyntax", "The body should be an object.");
    return std::move(value.get_object());
}

Projection projectionOf(const Request& request, const ResourceKind& kind)
{
    return {request.queryParameter("attributes").value_or(""), request.queryParameter("excludedAttributes").value_or(""), kind};
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

/// What a service provider says of itself is not to be filtered (RFC 7644, 4).
void refuseFilter(const RawQuery& query)
{
    if (std::ranges::any_of(query.values, [](const auto& one) { return one.first == "filter"; }))
        throw Problem::forbidden("permission_denied", "These are not filtered.");
}

const std::array<const Schema*, 3>& allSchemas()
{
    static const std::array<const Schema*, 3> all{&userKind().schema, userKind().extension, &groupKind().schema};
    return all;
}

} // namespace

ScimRoutes::ScimRoutes(Core& core) : _people(core), _groups(core), _base(baseOf(core)) {}

void ScimRoutes::declare(Routes& routes)
{
    const auto client = access::service(scimScope);
    const auto options = [](std::string_view summary, std::vector<std::string_view> problems = {}, Execution execution = Execution::Worker)
    {
        return RouteOptions{.summary = summary,
                            .bodyLimit = mostBytes,
                            .execution = execution,
                            .idempotencyKey = false,
                            .problems = std::move(problems),
                            .consumes = {scimMediaType, "application/json"},
                            .produces = {scimMediaType}};
    };
    const std::vector<std::string_view> changes = {"400 invalidValue", "409 uniqueness", "403 outranked", "412 version_conflict"};
    routes.get("/scim/v2/Users", client, &ScimRoutes::listUsers, this, options("People of the organization", {"400 invalidFilter"}))
        .post("/scim/v2/Users", client, &ScimRoutes::createUser, this, options("Provision a person", changes))
        .post("/scim/v2/Users/.search", client, &ScimRoutes::searchUsers, this,
              options("People of the organization", {"400 invalidFilter"}))
        .get("/scim/v2/Users/{id}", client, &ScimRoutes::showUser, this, options("One person"))
        .put("/scim/v2/Users/{id}", client, &ScimRoutes::replaceUser, this, options("Replace what is said of a person", changes))
        .patch("/scim/v2/Users/{id}", client, &ScimRoutes::patchUser, this,
               options("Change a person; active:false suspends the membership", changes))
        .del("/scim/v2/Users/{id}", client, &ScimRoutes::removeUser, this, options("Take a person out of the organization", changes));
    routes.get("/scim/v2/Groups", client, &ScimRoutes::listGroups, this, options("Groups of the directory", {"400 invalidFilter"}))
        .post("/scim/v2/Groups", client, &ScimRoutes::createGroup, this, options("Make a group", changes))
        .post("/scim/v2/Groups/.search", client, &ScimRoutes::searchGroups, this, options("Groups of the directory", {"400 invalidFilter"}))
        .get("/scim/v2/Groups/{id}", client, &ScimRoutes::showGroup, this, options("One group"))
        .put("/scim/v2/Groups/{id}", client, &ScimRoutes::replaceGroup, this, options("Replace a group", changes))
        .patch("/scim/v2/Groups/{id}", client, &ScimRoutes::patchGroup, this, options("Change a group", changes))
        .del("/scim/v2/Groups/{id}", client, &ScimRoutes::removeGroup, this, options("Remove a group", changes));
    routes.post("/scim/v2/Bulk", client, &ScimRoutes::bulk, this, options("Several changes", {"400 invalidSyntax"}, Execution::Long));
    routes.get("/scim/v2/ServiceProviderConfig", client, &ScimRoutes::provider, this, options("What this SCIM can do"))
        .get("/scim/v2/Schemas", client, &ScimRoutes::schemas, this, options("Attributes of people and groups"))
        .get("/scim/v2/Schemas/{id}", client, &ScimRoutes::schema, this, options("One schema"))
        .get("/scim/v2/ResourceTypes", client, &ScimRoutes::resourceTypes, this, options("Kinds of resources"))
        .get("/scim/v2/ResourceTypes/{id}", client, &ScimRoutes::resourceType, this, options("One kind of resource"));
}

Response ScimRoutes::listUsers(const Request& request, const RawQuery&) const
{
    return answerOf(_people.list(Call::of(request), ListQuery::of(request, userKind())));
}

Response ScimRoutes::searchUsers(const Request& request, const RawBody& body) const
{
    return answerOf(_people.list(Call::of(request), ListQuery::of(readBody(body), userKind())));
}

Response ScimRoutes::createUser(const Request& request, const RawQuery&, const RawBody& body)
{
    return answerOf(_people.create(Call::of(request), readBody(body)), projectionOf(request, userKind()), 201);
}

Response ScimRoutes::showUser(const Request& request, const Path<std::string>& id, const RawQuery&) const
{
    return answerOf(_people.find(Call::of(request), *id), projectionOf(request, userKind()));
}

Response ScimRoutes::replaceUser(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    return answerOf(_people.replace(Call::of(request), *id, request.header("If-Match"), readBody(body)), projectionOf(request, userKind()));
}

Response ScimRoutes::patchUser(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    return answerOf(_people.patch(Call::of(request), *id, request.header("If-Match"), readBody(body)), projectionOf(request, userKind()));
}

NoContent ScimRoutes::removeUser(const Request& request, const Path<std::string>& id)
{
    _people.remove(Call::of(request), *id, request.header("If-Match"));
    return {};
}

Response ScimRoutes::listGroups(const Request& request, const RawQuery&) const
{
    return answerOf(_groups.list(Call::of(request), ListQuery::of(request, groupKind())));
}

Response ScimRoutes::searchGroups(const Request& request, const RawBody& body) const
{
    return answerOf(_groups.list(Call::of(request), ListQuery::of(readBody(body), groupKind())));
}

Response ScimRoutes::createGroup(const Request& request, const RawQuery&, const RawBody& body)
{
    return answerOf(_groups.create(Call::of(request), readBody(body)), projectionOf(request, groupKind()), 201);
}

Response ScimRoutes::showGroup(const Request& request, const Path<std::string>& id, const RawQuery&) const
{
    const auto projection = projectionOf(request, groupKind());
    return answerOf(_groups.find(Call::of(request), *id, projection.shows("members")), projection);
}

Response ScimRoutes::replaceGroup(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    return answerOf(_groups.replace(Call::of(request), *id, request.header("If-Match"), readBody(body)),
                    projectionOf(request, groupKind()));
}

Response ScimRoutes::patchGroup(const Request& request, const Path<std::string>& id, const RawQuery&, const RawBody& body)
{
    return answerOf(_groups.patch(Call::of(request), *id, request.header("If-Match"), readBody(body)), projectionOf(request, groupKind()));
}

NoContent ScimRoutes::removeGroup(const Request& request, const Path<std::string>& id)
{
    _groups.remove(Call::of(request), *id, request.header("If-Match"));
    return {};
}

Response ScimRoutes::bulk(const Request& request, const RawBody& body)
{
    const auto call = Call::of(request);
    return answerOf(BulkRequest(_people, _groups, call).run(readBody(body)));
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
