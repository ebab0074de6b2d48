#include "permissions/Inspection.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

PermissionSource overrideSource(const PermissionOverride& entry) { return {.type = "user_override", .overrideId = entry.id}; }

std::vector<PermissionSource> sourcesOf(const Evaluation& evaluation, const Decision& decision)
{
    std::vector<PermissionSource> sources;
    if (decision.byBypass) return {{.type = "platform_bypass"}};
    const auto& input = evaluation.input();
    for (const auto bundle : decision.bundles)
        sources.push_back({.type = "role_bundle", .bundleId = evaluation.bundles()[bundle].id, .role = input.role});
    for (const auto* entry : decision.allows) sources.push_back(overrideSource(*entry));
    const bool personal = input.context == ContextKind::Personal;
    sources.push_back({.type = personal ? "personal_access" : "org_service_access", .serviceId = evaluation.service().serviceId});
    return sources;
}

EffectivePermission entryOf(const std::string& permission, std::string_view serviceId, std::vector<PermissionSource> sources)
{
    const auto dot = permission.find('.');
    const auto colon = permission.find(':');
    return {permission,    std::string(serviceId), permission.substr(dot + 1, colon - dot - 1), permission.substr(colon + 1),
            Effect::Allow, std::move(sources)};
}

void inspectService(const Evaluation& evaluation, PermissionInspection& inspection)
{
    const auto& service = evaluation.service();
    for (const auto& permission : service.all())
    {
        const auto decision = evaluation.of(permission);
        if (decision.allowed)
        {
            inspection.effectivePermissions.push_back(permission);
            inspection.effectivePermissionEntries.push_back(entryOf(permission, service.serviceId, sourcesOf(evaluation, decision)));
        }
        else if (!decision.denies.empty())
        {
            auto& denied = inspection.deniedEntries.emplace_back(DeniedPermission{permission, "user_override_deny", {}});
            for (const auto* entry : decision.denies) denied.sources.push_back(overrideSource(*entry));
        }
    }
    for (std::size_t i = 0; i < evaluation.bundles().size(); ++i)
        inspection.sourceBreakdown.roleBundles.push_back(
            {service.serviceId, evaluation.bundles()[i].id, evaluation.input().role, evaluation.given(i)});
}

} // namespace

PermissionInspection inspect(const Catalog& catalog, const PersonAccess& person, const std::optional<std::string>& serviceId, Instant now)
{
    const auto& standing = person.standing();
    PermissionInspection inspection;
    inspection.userId = standing.userId;
    inspection.organizationId = standing.organizationId;
    inspection.context = standing.kind();
    inspection.role = standing.role;
    inspection.platformRole = standing.platformRole;
    inspection.platformBypass = standing.platformBypass;
    inspection.serviceId = serviceId;
    inspection.revision = person.user().revision;
    inspection.evaluatedAt = now;
    for (const auto& [id, service] : catalog.services)
    {
        if (serviceId && *serviceId != id) continue;
        const auto input = person.input(id);
        inspectService(Evaluation(service, input, now), inspection);
    }
    const auto isAsked = [&](std::string_view id) { return !serviceId || id == *serviceId; };
    auto& breakdown = inspection.sourceBreakdown;
    for (const auto& access : person.access())
        if (isAsked(access.serviceId))
            breakdown.orgServiceAccess.push_back({access.serviceId, access.status, access.plan, access.createdAt});
    for (const auto& entry : person.overrides())
        if (isAsked(std::string_view(entry.permission).substr(0, entry.permission.find('.')))) breakdown.userOverrides.push_back(entry);
    return inspection;
}

} // namespace portico::identity
