#pragma once

#include "portico/Caller.h"
#include "portico/Schema.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::launchpad
{

/// A widget that an app offers.
struct OfferedWidget
{
    std::string id;
    std::string title;
    /// `s`, `m`, `l`.
    std::vector<std::string> sizes;
};

/// Why a widget is left out.
enum class Exclusion
{
    NotInstalled,
    UnknownService,
    UnknownWidget,
    NotInContext,
    Blocked,
    Hidden
};

constexpr auto schemaOf(const Exclusion*)
{
    using enum Exclusion;
    return portico::choices<Exclusion>({{"not_installed", NotInstalled},
                                        {"unknown_service", UnknownService},
                                        {"unknown_widget", UnknownWidget},
                                        {"not_in_context", NotInContext},
                                        {"blocked", Blocked},
                                        {"hidden", Hidden}});
}

/// An app with widgets, for one caller.
struct WidgetApp
{
    std::string serviceId;
    /// Sort key for the caller's order of apps.
    std::string place;
    std::string name;
    std::string iconUrl;
    std::string launchUrl;
    std::string widgetUrl;
    /// Runs on this host, so that it is called without a socket.
    bool local = false;
    bool householdCapable = false;
    std::vector<OfferedWidget> widgets;
    /// Why the caller does not have it; empty: installed.
    std::optional<Exclusion> obstacle;
    /// Widgets that the caller has hidden; all of them for a hidden app.
    std::set<std::string, std::less<>> hidden;

    const OfferedWidget* widget(std::string_view id) const
    {
        const auto found = std::ranges::find(widgets, id, &OfferedWidget::id);
        return found == widgets.end() ? nullptr : &*found;
    }
};

/// Returns the apps of the registry in the caller's order.
using WidgetShelf = std::function<std::vector<WidgetApp>(const Caller&)>;

} // namespace portico::launchpad
