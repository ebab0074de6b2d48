#pragma once

#include "scim/BulkRequest.h"
#include "scim/Groups.h"
#include "scim/Provisioning.h"

#include "portico/Routes.h"

namespace portico::identity::scim
{

/// `/scim/v2`: the directory of an organization creates, changes and removes its people and groups (RFC 7643, RFC 7644). The caller is an
/// OAuth client of the organization, with the scope `scim`. Thread-safe.
class ScimRoutes
{
public:
    explicit ScimRoutes(Core& core);
    void declare(Routes& routes);

    Response listUsers(const Request& request, const RawQuery& query) const;
    Response searchUsers(const Request& request, const RawBody& body) const;
    Response createUser(const Request& request, const RawQuery& query, const RawBody& body);
    Response showUser(const Request& request, const Path<std::string>& id, const RawQuery& query) const;
    Response replaceUser(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    Response patchUser(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    NoContent removeUser(const Request& request, const Path<std::string>& id);

    Response listGroups(const Request& request, const RawQuery& query) const;
    Response searchGroups(const Request& request, const RawBody& body) const;
    Response createGroup(const Request& request, const RawQuery& query, const RawBody& body);
    Response showGroup(const Request& request, const Path<std::string>& id, const RawQuery& query) const;
    Response replaceGroup(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    Response patchGroup(const Request& request, const Path<std::string>& id, const RawQuery& query, const RawBody& body);
    NoContent removeGroup(const Request& request, const Path<std::string>& id);

    Response bulk(const Request& request, const RawBody& body);

    Response provider(const RawQuery& query) const;
    Response schemas(const RawQuery& query) const;
    Response schema(const Path<std::string>& urn, const RawQuery& query) const;
    Response resourceTypes(const RawQuery& query) const;
    Response resourceType(const Path<std::string>& name, const RawQuery& query) const;

private:
    Provisioning _people;
    Groups _groups;
    const std::string _base;
};

} // namespace portico::identity::scim
