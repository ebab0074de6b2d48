#pragma once

#include "common/Core.h"
#include "common/IgnoredOnInput.h"
#include "permissions/Actor.h"
#include "permissions/UserOverride.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct OverrideInput : IgnoredOnInput
{
    std::string permission;
    Effect effect = Effect::Allow;
    std::string reason;
    std::optional<Instant> expiresAt;
    /// Default: the active organization. Operators may name any.
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const OverrideInput*)
{
    return describe(field<&OverrideInput::permission>().required().maxLength(120), field<&OverrideInput::effect>().required(),
                    field<&OverrideInput::reason>().required().maxLength(500),
                    members<&OverrideInput::expiresAt, &OverrideInput::organizationId>(),
                    readBackVersioned<OverrideInput>("id", "userId", "createdBy"))
        .named("PermissionOverrideInput");
}

struct OverrideQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const OverrideQuery*) { return describe(field<&OverrideQuery::organizationId>()); }

/// Manages permissions that single users are granted or denied beside their role. The actor must outrank the user and have every permission
/// of the override. Otherwise they could grant or deny permissions that they do not have. Thread-safe.
class OverrideRoutes
{
public:
    explicit OverrideRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<UserOverride> list(const Caller& caller, const Path<UserId>& userId, const Query<OverrideQuery>& query,
                            const Paging& paging) const;
    UserOverride show(const Caller& caller, const Path<UserId>& userId, const Path<OverrideId>& id,
                      const Query<OverrideQuery>& query) const;
    /// Stores one override for each permission: a second call changes the first.
    UserOverride put(const Caller& caller, const Request& request, const Path<UserId>& userId, const Body<OverrideInput>& input,
                     const IfMatch& match);
    UserOverride update(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<OverrideId>& id,
                        const Query<OverrideQuery>& query, const Body<Patch<UserOverride>>& patch, const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<OverrideId>& id,
                     const Query<OverrideQuery>& query, const IfMatch& match);

private:
    struct Change;
    Core& _core;
};

} // namespace portico::identity
