#pragma once

#include "scim/BulkRequest.h"
#include "scim/Groups.h"
#include "scim/Provisioning.h"

#include "portico/Routes.h"

namespace portico::identity::scim
{

/// Summaries in the API document for the routes of a kind of resource.
struct ResourceSummaries
{
    std::string_view list, create, show, replace, patch, remove;
};

/// Routes of one kind of resource, which `Store` stores. Thread-safe.
template <class Store>
class ResourceRoutes
{
public:
    ResourceRoutes(Core& core, const ResourceKind& kind) : _store(core), _kind(kind) {}
    void declare(Routes& routes, const std::string& path, const ResourceSummaries& summaries);
    Store& store() noexcept { return _store; }

    Response list(const Request& request, const RawQuery& query) const;
    Response search(const Request& request, const RawQuery& query, const RawBody& body) const;
    Response create(const Request& request, const RawQuery& query, const RawBody& body);
    Response show(const Request& request, const Path<std::string>& id, const RawQuery& query) const;
    Response replace(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    Response patch(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    NoContent remove(const Request& request, const Path<std::string>& id, const RawQuery& query);

private:
    Projection projectionOf(const Request& request) const;

    Store _store;
    const ResourceKind& _kind;
};

/// Serves `/scim/v2`: the directory of an organization creates, changes and removes its people and groups (RFC 7643, RFC 7644). The caller
/// is an OAuth client of the organization with the scope `scim`, authenticated by an access token or by its secret as a bearer token. All
/// routes accept unknown query parameters, because directories append some. Thread-safe.
class ScimRoutes
{
public:
    explicit ScimRoutes(Core& core);
    /// Prepares the data. @throws DatabaseError
    void start();
    void declare(Routes& routes);

    Response bulk(const Request& request, const RawQuery& query, const RawBody& body);

    Response provider(const RawQuery& query) const;
    Response schemas(const RawQuery& query) const;
    Response schema(const Path<std::string>& urn, const RawQuery& query) const;
    Response resourceTypes(const RawQuery& query) const;
    Response resourceType(const Path<std::string>& name, const RawQuery& query) const;

private:
    Core& _core;
    ResourceRoutes<Provisioning> _people;
    ResourceRoutes<Groups> _groups;
    const std::string _base;
};

} // namespace portico::identity::scim
