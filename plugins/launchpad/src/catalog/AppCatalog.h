#pragma once

#include "catalog/SearchIndex.h"
#include "catalog/StoreApp.h"

#include "portico/interfaces/ServiceCatalog.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::launchpad
{

/// A service of the registry.
struct App
{
    StoreApp shown;
    /// `shown` as JSON; empty for an app that is not listed.
    StoreAppText text;
    /// Equal for equal texts.
    std::string digest;
    /// True if stores and catalogs list it: it is available, or announced for later, and made for users or programs.
    bool listed = false;
    /// True if it is available on a host now.
    bool active = false;
    bool comingSoon = false;
    /// True for a service that was registered through the API and runs elsewhere.
    bool remote = false;
    std::string sortName;
    std::string launchUrl;
    std::vector<std::string> callbackUrls;
    std::vector<std::string> origins;
    std::string widgetUrl;
    std::vector<ManifestWidget> widgets;
    std::vector<AppScope> scopes;
    std::string longDescription;
    std::vector<AppChange> changelog;
    std::string privacyUrl;
    std::string supportUrl;
    std::vector<std::string> related;
    /// IDs for links into the native apps; empty without them.
    MobileLinkIds links;
    Instant createdAt{};

    bool serves(std::string_view context) const;
};

/// A category or a collection.
struct AppGroup
{
    std::string id;
    std::string title;
    std::int64_t count = 0;
    bool orgFirst = true;
};

constexpr auto schemaOf(const AppGroup*)
{
    return describe(members<&AppGroup::id, &AppGroup::title, &AppGroup::count>(),
                    field<&AppGroup::orgFirst>().description("True if none of its apps supports personal context"));
}

/// All services of the registry as apps, by ID. Immutable, so threads may share it.
class AppCatalog
{
public:
    /// @param entries of the registry, by ID
    explicit AppCatalog(const std::vector<interfaces::CatalogEntry>& entries);

    const std::vector<App>& all() const noexcept { return _apps; }
    /// Listed apps by name, as positions in `all`.
    const std::vector<std::size_t>& byName() const noexcept { return _byName; }
    /// Listed apps, the newest first, then by name.
    const std::vector<std::size_t>& byAge() const noexcept { return _byAge; }
    /// Null for a service that the registry does not have.
    const App* find(std::string_view serviceId) const;
    /// Null for a slug that no listed app has.
    const App* findBySlug(std::string_view slug) const;
    const std::vector<AppGroup>& categories() const noexcept { return _categories; }
    const std::vector<AppGroup>& collections() const noexcept { return _collections; }
    /// Index over the listed apps; its numbers are positions in `all`.
    const SearchIndex& index() const noexcept { return _index; }

private:
    std::vector<App> _apps;
    std::map<std::string, std::size_t, std::less<>> _byId, _bySlug;
    std::vector<std::size_t> _byName, _byAge;
    std::vector<AppGroup> _categories, _collections;
    SearchIndex _index;
};

} // namespace portico::launchpad
