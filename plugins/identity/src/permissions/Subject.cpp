#include "permissions/Subject.h"

#include "records/Membership.h"
#include "records/Organization.h"

#include "portico/Problem.h"

namespace portico::identity
{

namespace
{

std::optional<OrganizationId> meantOrganization(const Actor& actor, const ContextQuery& query)
{
    if (query.context == ContextKind::Personal)
    {
        if (query.organizationId)
            throw Problem::invalid("organizationId", "not_in_personal_context", "Personal context has no organization.");
        return std::nullopt;
    }
    if (query.organizationId) return query.organizationId;
    if (query.context && !actor.organizationId())
        throw Problem::invalid("organizationId", "required", "Name the organization: none is active.");
    return actor.organizationId();
}

bool isMember(Session& session, const OrganizationId& organization, const UserId& user)
{
    const auto membership = membershipTable.find(session, organization, user);
    return membership && membership->status != MembershipStatus::Invited;
}

void requireVisible(Session& session, const Actor& actor, const UserId& userId, const std::optional<OrganizationId>& organization)
{
    if (actor.isOperator())
    {
        if (organization && !organizations::find(session, *organization)) throw Problem::notFound();
        return;
    }
    if (actor.isSelf(userId))
    {
        if (organization && organization != actor.organizationId() && !isMember(session, *organization, userId)) throw Problem::notFound();
        return;
    }
    if (!organization || organization != actor.organizationId() || !isMember(session, *organization, userId)) throw Problem::notFound();
    actor.requireAdminRoute();
}

} // namespace

PersonAccess requireSubject(Session& session, const Actor& actor, const UserId& userId, const ContextQuery& query)
{
    const auto organization = meantOrganization(actor, query);
    requireVisible(session, actor, userId, organization);
    auto user = users::find(session, userId.text());
    if (!user) throw Problem::notFound();
    // Uses the proofs of this sign-in for the actor. For other users, assumes a sign-in that meets every requirement.
    return {session, *std::move(user), organization, actor.isSelf(userId) ? actor.proof() : std::nullopt};
}

} // namespace portico::identity
