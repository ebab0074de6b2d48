#include "preferences/ServiceLists.h"

#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace portico::launchpad
{

namespace
{

constexpr std::array<std::string_view, 3> sizeNames{"s", "m", "l"};

[[noreturn]] void refuseTwice(const std::string& field)
{
    throw Problem::invalid(field, "duplicate", "The list already contains this entry.");
}

std::string at(const std::string& list, std::size_t index) { return list + '[' + std::to_string(index) + ']'; }

} // namespace

const App& ServiceLists::known(const std::string& serviceId) const
{
    const auto* app = _apps.find(serviceId);
    if (!app) throw Problem::badRequest("unknown_service", "The registry has no service with this ID. Read the catalog again.");
    return *app;
}

bool ServiceLists::isThere(const std::string& serviceId) const
{
    const auto* app = _apps.find(serviceId);
    return app && (app->active || app->listed);
}

void ServiceLists::require(const std::vector<std::string>& ids, const std::string& field) const
{
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < ids.size(); ++i)
    {
        known(ids[i]);
        if (!seen.insert(ids[i]).second) refuseTwice(at(field, i));
    }
}

void ServiceLists::require(const std::vector<AppFolder>& folders) const
{
    std::set<std::string_view> ids, services;
    for (std::size_t i = 0; i < folders.size(); ++i)
    {
        const auto field = at("folders", i);
        if (!ids.insert(folders[i].id).second) refuseTwice(field + ".id");
        for (std::size_t j = 0; j < folders[i].serviceIds.size(); ++j)
        {
            known(folders[i].serviceIds[j]);
            if (!services.insert(folders[i].serviceIds[j]).second) refuseTwice(at(field + ".serviceIds", j));
        }
    }
}

void ServiceLists::require(const std::vector<PlacedWidget>& widgets) const
{
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (std::size_t i = 0; i < widgets.size(); ++i)
    {
        const auto& placed = widgets[i];
        const auto& offered = known(placed.serviceId).widgets;
        const auto widget = std::ranges::find(offered, placed.widgetId, &ManifestWidget::id);
        if (widget == offered.end())
            throw Problem::invalid(at("widgets", i) + ".widgetId", "unknown_widget", "The app has no such widget.");
        const auto size = sizeNames.at(static_cast<std::size_t>(placed.size));
        if (!widget->sizes.empty() && std::ranges::find(widget->sizes, size) == widget->sizes.end())
            throw Problem::invalid(at("widgets", i) + ".size", "size_not_offered", "The widget does not have this size.");
        if (!seen.emplace(placed.serviceId, placed.widgetId).second) refuseTwice(at("widgets", i));
    }
}

void ServiceLists::clean(std::vector<std::string>& ids) const
{
    std::erase_if(ids, [&](const std::string& id) { return !isThere(id); });
}

void ServiceLists::clean(Preferences& preferences) const
{
    if (preferences.pinned) clean(*preferences.pinned);
    if (preferences.order) clean(*preferences.order);
    clean(preferences.hidden);
    for (auto& folder : preferences.folders) clean(folder.serviceIds);
    std::erase_if(preferences.widgets, [&](const PlacedWidget& placed) { return !isThere(placed.serviceId); });
}

} // namespace portico::launchpad
