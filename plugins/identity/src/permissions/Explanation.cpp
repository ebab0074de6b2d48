#include "permissions/Explanation.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

void link(PermissionExplanation& out, std::string_view source, std::string_view effect, std::string detail)
{
    out.chain.push_back({std::string(source), std::string(effect), std::move(detail)});
}

/// Describes the checks before any permission, up to the first one that blocks the service.
void describeEntrance(const Evaluation& evaluation, const PersonAccess& person, PermissionExplanation& out)
{
    const auto& id = evaluation.service().serviceId;
    const auto closes = evaluation.obstacle();
    const auto at = [&](Obstacle obstacle) { return closes == obstacle ? "deny" : "allow"; };
    link(out, "service", at(Obstacle::ServiceNotActive), id + (closes == Obstacle::ServiceNotActive ? " is not active" : " is active"));
    if (closes == Obstacle::ServiceNotActive) return;
    const bool personal = person.standing().kind() == ContextKind::Personal;
    const std::string context = personal ? "personal" : "organization";
    link(out, "context", at(Obstacle::ContextNotServed),
         id + (closes == Obstacle::ContextNotServed ? " has no " : " serves the ") + context + " context");
    if (closes == Obstacle::ContextNotServed) return;
    if (!personal || closes == Obstacle::MembershipInactive)
        link(out, "membership", at(Obstacle::MembershipInactive),
             closes == Obstacle::MembershipInactive ? "no active membership in an active organization"
                                                    : "member as " + std::string(toString(person.standing().role)));
    if (closes == Obstacle::MembershipInactive || evaluation.input().platformBypass) return;
    const bool open = closes == Obstacle::None;
    link(out, personal ? "personal_access" : "org_service_access", open ? "allow" : "deny",
         (personal ? "people" : "the organization") + std::string(open ? " may use " : " may not use ") + id);
}

void describeRights(const Evaluation& evaluation, const Decision& decision, const PersonAccess& person, PermissionExplanation& out)
{
    if (decision.byBypass) return link(out, "platform_bypass", "allow", std::string(toString(*person.standing().platformRole)));
    for (const auto bundle : decision.bundles) link(out, "role_bundle", "allow", evaluation.bundles()[bundle].id);
    if (decision.bundles.empty())
        link(out, "role_bundle", "none", "no bundle of " + std::string(toString(evaluation.input().role)) + " names it");
    for (const auto& list : {decision.allows, decision.denies})
        for (const auto* entry : list)
            link(out, "user_override", toString(entry->effect), entry->id.text() + " names " + entry->permission);
}

/// Returns the lowest higher role whose bundles contain the permission.
std::optional<Role> roleThatHas(const CatalogService& service, EvaluationInput input, const std::string& permission, Instant now)
{
    const Role before = input.role;
    for (const auto& [text, role] : choicesOf<Role>())
    {
        if (rank(role) <= rank(before)) continue;
        input.role = role;
        if (!Evaluation(service, input, now).of(permission).bundles.empty()) return role;
    }
    return std::nullopt;
}

SuggestedChange removal(Obstacle obstacle, const PersonAccess& person, const CatalogService& service)
{
    const auto& id = service.serviceId;
    switch (obstacle)
    {
    case Obstacle::ServiceNotActive:
        return {.type = "activate_service", .serviceId = id};
    case Obstacle::ContextNotServed:
        return {.type = "switch_context", .to = person.standing().kind() == ContextKind::Personal ? "organization" : "personal"};
    case Obstacle::MembershipInactive:
        return {.type = "activate_membership"};
    case Obstacle::NoServiceAccess:
    case Obstacle::PersonalAccessOff:
    case Obstacle::None:
        break;
    }
    return {.type = "enable_service", .serviceId = id};
}

void suggest(const Evaluation& evaluation, const Decision& decision, const PersonAccess& person, Instant now, PermissionExplanation& out)
{
    std::int64_t step = 1;
    auto& changes = out.smallestChange;
    if (decision.obstacle != Obstacle::None)
    {
        changes.push_back(removal(decision.obstacle, person, evaluation.service()));
        ++step;
    }
    for (const auto* entry : decision.denies) changes.push_back({.type = "remove_override", .step = step++, .overrideId = entry->id});
    if (decision.byBypass || !decision.bundles.empty() || !decision.allows.empty()) return;
    // In personal context there are neither overrides nor other roles.
    if (!person.standing().organizationId) return;
    changes.push_back({.type = "add_override", .step = step, .permission = out.permission});
    if (const auto role = roleThatHas(evaluation.service(), evaluation.input(), out.permission, now))
        changes.push_back({.type = "raise_role", .step = step, .to = std::string(toString(*role))});
}

} // namespace

PermissionExplanation explain(const CatalogService& service, const PersonAccess& person, const std::string& permission, Instant now)
{
    const auto input = person.input(service.serviceId);
    const Evaluation evaluation(service, input, now);
    const auto decision = evaluation.of(permission);
    PermissionExplanation out;
    out.permission = permission;
    out.allowed = decision.allowed;
    out.decidedBy = decision.decidedBy();
    describeEntrance(evaluation, person, out);
    if (decision.obstacle == Obstacle::None) describeRights(evaluation, decision, person, out);
    if (!decision.allowed) suggest(evaluation, decision, person, now, out);
    return out;
}

} // namespace portico::identity
