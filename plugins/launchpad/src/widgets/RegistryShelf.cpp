#include "widgets/RegistryShelf.h"

#include "common/Ids.h"
#include "common/Slice.h"
#include "preferences/Preferences.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace portico::launchpad
{

namespace
{

std::optional<Exclusion> obstacleOf(const Standing& standing, const App& app)
{
    if (!standing.inContext(app)) return Exclusion::NotInContext;
    const auto circumstances = standing.of(app);
    if (circumstances.mode == AssignmentMode::Blocked) return Exclusion::Blocked;
    if (installedBy(circumstances) == InstalledBy::Nobody) return Exclusion::NotInstalled;
    return std::nullopt;
}

} // namespace

std::vector<WidgetApp> RegistryShelf::apps(const Caller& caller) const
{
    const auto registry = _registry.apps();
    auto session = _context.database().snapshot();
    const auto& questions = _installs.questions();
    const Standing standing(_context, session, caller, questions);
    const auto places = questions.places ? questions.places(session, caller) : std::map<std::string, AppPlace>();
    const auto preferences = preferenceTable.find(session, caller.tenantOrSelf(), caller.principalId).value_or(Preferences());
    const auto& origins = _context.host().origins;

    std::vector<WidgetApp> apps;
    for (const auto& app : registry->all())
    {
        const auto& id = app.shown.serviceId;
        if (!app.active || id == ownServiceId || app.widgetUrl.empty() || app.widgets.empty()) continue;
        WidgetApp made;
        made.serviceId = id;
        made.name = app.shown.name;
        made.iconUrl = app.shown.iconUrl;
        made.launchUrl = app.launchUrl;
        made.widgetUrl = app.widgetUrl;
        made.local = !app.remote && origins.contains(id);
        made.householdCapable = app.shown.householdCapable;
        for (const auto& widget : app.widgets) made.widgets.push_back({widget.id, widget.title, widget.sizes});
        made.obstacle = obstacleOf(standing, app);
        for (const auto& placed : preferences.widgets)
            if (placed.serviceId == id && !placed.visible) made.hidden.insert(placed.widgetId);
        auto order = std::numeric_limits<std::int64_t>::max();
        if (const auto place = places.find(id); place != places.end())
        {
            if (place->second.order > 0) order = place->second.order;
            if (place->second.hidden)
                for (const auto& widget : made.widgets) made.hidden.insert(widget.id);
        }
        made.place = sortableDigits(order) + app.sortName + '\n' + id;
        apps.push_back(std::move(made));
    }
    std::ranges::sort(apps, {}, &WidgetApp::place);
    return apps;
}

} // namespace portico::launchpad
