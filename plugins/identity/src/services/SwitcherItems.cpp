#include "services/SwitcherItems.h"

#include <algorithm>
#include <utility>

namespace portico::identity
{

namespace
{

/// Applications for organizations do not appear in personal context.
bool belongsTo(const ServiceView& view, const CatalogService& service, ContextKind kind)
{
    return kind == ContextKind::Organization || (service.servesContext(kind) && view.surfaceGroup != "business");
}

} // namespace

std::string accessReason(Obstacle obstacle, const ActiveStanding& standing)
{
    if (obstacle != Obstacle::None) return std::string(toString(obstacle));
    if (standing.platformBypass) return "platform_bypass";
    return standing.organizationId ? "organization_access" : "personal_access";
}

std::vector<SwitcherItem> switcherItems(const Catalog& catalog, const PersonAccess& person)
{
    std::vector<SwitcherItem> items;
    if (!person.user().launcherEligible) return items;
    for (const auto& [id, service] : catalog.services)
    {
        const auto& view = *service.view;
        if (!service.active() || !view.launchable || !belongsTo(view, service, person.standing().kind())) continue;
        const auto closes = obstacle(service, person.input(id));
        items.push_back({id, view.name, view.iconUrl, view.launchUrl, view.surfaceKind, view.surfaceGroup, view.launchable,
                         view.householdCapable, closes == Obstacle::None, accessReason(closes, person.standing()), 0});
    }
    std::ranges::stable_sort(items, {}, [](const SwitcherItem& item) { return std::pair(!item.accessible, item.name); });
    for (std::size_t i = 0; i < items.size(); ++i) items[i].order = static_cast<std::int64_t>(i + 1);
    return items;
}

} // namespace portico::identity
