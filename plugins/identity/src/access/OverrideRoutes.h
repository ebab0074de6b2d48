#pragma once

#include "common/Core.h"
#include "common/ReadBack.h"
#include "permissions/Actor.h"
#include "permissions/UserOverride.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct OverrideInput : ReadBack
{
    std::string permission;
    Effect effect = Effect::Allow;
    std::string reason;
    std::optional<Instant> expiresAt;
    /// The active organization where it is absent; an operator may name any.
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

/// What single users are given or refused beside their role. Who changes it outranks the user and has every permission that the override
/// names, so that nobody hands out, or takes, what they do not have. Thread-safe.
class OverrideRoutes
{
public:
    explicit OverrideRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    Page<UserOverride> list(const Caller& caller, const Path<UserId>& userId, const Query<OverrideQuery>& query,
                            const Paging& paging) const;
    UserOverride show(const Caller& caller, const Path<UserId>& userId, const Path<OverrideId>& id,
                      const Query<OverrideQuery>& query) const;
    /// One override for one permission: a second call changes the first.
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
