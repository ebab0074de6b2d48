#pragma once

#include "catalog/Registry.h"
#include "installs/Assignment.h"
#include "installs/RequiredApps.h"

#include "portico/Routes.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct AssignmentFilter
{
    std::optional<std::string> serviceId;
    std::optional<std::string> userId;
};

constexpr auto schemaOf(const AssignmentFilter*)
{
    return describe(field<&AssignmentFilter::serviceId>("service_id"),
                    field<&AssignmentFilter::userId>().description("Rules that name this user"));
}

struct NewAssignment
{
    std::string serviceId;
    AssignmentSubject subject;
    AssignmentMode mode = AssignmentMode::Optional;
};

constexpr auto schemaOf(const NewAssignment*)
{
    return describe(field<&NewAssignment::serviceId>("service_id").required(), field<&NewAssignment::subject>().required(),
                    field<&NewAssignment::mode>().required());
}

struct EffectiveFilter
{
    std::optional<std::string> userId;
};

constexpr auto schemaOf(const EffectiveFilter*) { return describe(field<&EffectiveFilter::userId>().description("Default: the caller")); }

struct EffectiveAssignment
{
    std::string serviceId;
    AssignmentMode mode = AssignmentMode::Optional;
    std::vector<std::string> because;
};

constexpr auto schemaOf(const EffectiveAssignment*)
{
    return describe(field<&EffectiveAssignment::serviceId>("service_id"), field<&EffectiveAssignment::mode>(),
                    field<&EffectiveAssignment::because>().description("Rules with this mode, in the order user, role, everyone"));
}

/// /api/assignments: which apps an organization requires, offers and blocks. Thread-safe.
class AssignmentRoutes
{
public:
    AssignmentRoutes(PluginContext& context, const Registry& registry, const RequiredApps& requiredApps)
        : _context(context), _registry(registry), _requiredApps(requiredApps)
    {
    }
    void declare(Routes& routes);

    Page<Assignment> list(const Caller& caller, const Query<AssignmentFilter>& filter, const Paging& paging) const;
    Created<Assignment> create(const Caller& caller, const Body<NewAssignment>& body) const;
    Assignment change(const Caller& caller, const Path<AssignmentId>& id, const Body<Patch<Assignment>>& patch,
                      const IfMatch& ifMatch) const;
    NoContent remove(const Caller& caller, const Path<AssignmentId>& id, const IfMatch& ifMatch) const;
    Page<EffectiveAssignment> effective(const Caller& caller, const Query<EffectiveFilter>& filter, const Paging& paging) const;

private:
    std::string requireSubject(Tenant tenant, const AssignmentSubject& subject) const;
    std::string roleOf(Tenant tenant, const Caller& caller, const std::string& userId) const;
    void tell(Transaction& transaction, Tenant tenant, const Assignment& assignment) const;

    PluginContext& _context;
    const Registry& _registry;
    const RequiredApps& _requiredApps;
};

} // namespace portico::launchpad
