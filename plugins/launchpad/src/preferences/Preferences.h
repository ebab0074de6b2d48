#pragma once

#include "preferences/OrgSettings.h"

#include "portico/Json.h"
#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

enum class Theme
{
    System,
    Light,
    Dark
};

constexpr auto schemaOf(const Theme*)
{
    return portico::choices<Theme>({{"system", Theme::System}, {"light", Theme::Light}, {"dark", Theme::Dark}});
}

enum class Density
{
    Comfortable,
    Compact
};

constexpr auto schemaOf(const Density*)
{
    return portico::choices<Density>({{"comfortable", Density::Comfortable}, {"compact", Density::Compact}});
}

enum class AppView
{
    Tiles,
    List
};

constexpr auto schemaOf(const AppView*) { return portico::choices<AppView>({{"tiles", AppView::Tiles}, {"list", AppView::List}}); }

/// Page that opens first.
enum class Landing
{
    Dashboard,
    Apps,
    Actions
};

constexpr auto schemaOf(const Landing*)
{
    return portico::choices<Landing>({{"dashboard", Landing::Dashboard}, {"apps", Landing::Apps}, {"actions", Landing::Actions}});
}

enum class OpenIn
{
    SameTab,
    NewTab
};

constexpr auto schemaOf(const OpenIn*) { return portico::choices<OpenIn>({{"same_tab", OpenIn::SameTab}, {"new_tab", OpenIn::NewTab}}); }

/// Size of a tile in a grid of four columns: 1×1, 2×1 or 2×2.
enum class TileSize
{
    S,
    M,
    L
};

constexpr auto schemaOf(const TileSize*)
{
    return portico::choices<TileSize>({{"s", TileSize::S}, {"m", TileSize::M}, {"l", TileSize::L}});
}

inline constexpr std::size_t maxFolders = 50;
inline constexpr std::size_t maxPreferenceBytes = 64 * 1024;

inline bool isFolderId(std::string_view text)
{
    if (text.empty() || text.size() > 40) return false;
    for (const char c : text)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-')) return false;
    return true;
}

/// A group of apps on the page of apps.
struct AppFolder
{
    std::string id;
    std::string name;
    std::vector<std::string> serviceIds;
};

constexpr auto schemaOf(const AppFolder*)
{
    return describe(field<&AppFolder::id>().required().matches(isFolderId, "invalid_id", "1 to 40 letters, digits, _ and -"),
                    field<&AppFolder::name>().required().trimmed().maxLength(80), field<&AppFolder::serviceIds>().maxItems(500));
}

/// A tile on the dashboard.
struct PlacedWidget
{
    std::string serviceId;
    std::string widgetId;
    TileSize size = TileSize::S;
    std::int64_t column = 0;
    std::int64_t row = 0;
    bool visible = true;
};

constexpr auto schemaOf(const PlacedWidget*)
{
    return describe(field<&PlacedWidget::serviceId>("service_id").required().maxLength(40),
                    field<&PlacedWidget::widgetId>().required().maxLength(40), field<&PlacedWidget::size>(),
                    field<&PlacedWidget::column>().range(0, 3), field<&PlacedWidget::row>().range(0, 999), field<&PlacedWidget::visible>());
}

inline bool isLanguageTag(std::string_view text)
{
    constexpr std::string_view characters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-";
    return text.size() >= 2 && text.size() <= 35 && text.find_first_not_of(characters) == std::string_view::npos;
}

/// The dashboard of a person in one context.
struct Preferences : Versioned
{
    std::string userId;

    // Filled in where the record is shown.
    std::string context;
    std::optional<std::string> organizationId;
    // Stored by identity for all services.
    Theme theme = Theme::System;
    Density density = Density::Comfortable;
    std::string locale = "en";
    /// The organization's, while it is shown.
    std::optional<Announcement> announcement;

    AppView view = AppView::Tiles;
    bool sidebarCollapsed = false;
    Landing defaultLanding = Landing::Dashboard;
    OpenIn openIn = OpenIn::SameTab;
    bool reducedMotion = false;
    /// Empty: the person has not chosen, so the organization's choice applies.
    std::optional<std::vector<std::string>> pinned;
    std::optional<std::vector<std::string>> order;
    std::vector<std::string> hidden;
    std::vector<AppFolder> folders;
    std::vector<PlacedWidget> widgets;
    std::int64_t sharedChanges = 0;
};

constexpr auto schemaOf(const Preferences*)
{
    return describe(field<&Preferences::userId>().columnOnly(), field<&Preferences::context>().readOnly().transient(),
                    field<&Preferences::organizationId>().readOnly().transient(),
                    field<&Preferences::announcement>().readOnly().transient().omitEmpty(), field<&Preferences::theme>().transient(),
                    field<&Preferences::density>().transient(),
                    field<&Preferences::locale>().transient().matches(isLanguageTag, "invalid_locale", "A language tag (RFC 5646)"),
                    members<&Preferences::view, &Preferences::sidebarCollapsed, &Preferences::defaultLanding, &Preferences::openIn,
                            &Preferences::reducedMotion>(),
                    field<&Preferences::pinned>().maxItems(200).description("null for the organization's default"),
                    field<&Preferences::hidden>().maxItems(2000),
                    field<&Preferences::order>().column("service_order").maxItems(2000).description("null for the organization's default"),
                    field<&Preferences::folders>().maxItems(maxFolders), field<&Preferences::widgets>().maxItems(200),
                    field<&Preferences::sharedChanges>().columnOnly(), versioned<Preferences>());
}

inline constexpr Table preferenceTable{"preference", &Preferences::userId};

} // namespace portico::launchpad
