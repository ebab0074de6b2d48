#include "catalog/AppCatalog.h"

#include "common/Ids.h"
#include "plans/Package.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <functional>
#include <tuple>

namespace portico::launchpad
{

namespace
{
/// Reads the members that a description names.
template <class T>
T manifestOf(const interfaces::CatalogEntry& entry)
{
    try
    {
        return fromStoredJson<T>(entry.manifest);
    }
    catch (const Problem&)
    {
        // A remote service registered something else there: it is listed without these members.
        return {};
    }
}

Commerce commerceOf(const CommerceTerms& terms, bool ofPlatform)
{
    Commerce commerce;
    commerce.pricing = terms.pricing;
    commerce.bundleEligible = terms.bundleEligible && ofPlatform;
    commerce.countsTowardBundle = terms.countsTowardBundle && ofPlatform;
    if (commerce.bundleEligible)
        for (const auto package : pricedPackages) commerce.bundles.emplace_back(toString(package));
    commerce.minimumPrice = terms.minimumPrice;
    commerce.trialDays = terms.trialDays;
    commerce.salesContact = terms.salesContact;
    return commerce;
}

App appOf(const interfaces::CatalogEntry& entry, std::string_view launchpadOrigin)
{
    auto manifest = manifestOf<AppManifest>(entry);
    App app;
    auto& shown = app.shown;
    shown.serviceId = entry.serviceId;
    shown.slug = manifest.store.slug.empty() ? entry.serviceId : manifest.store.slug;
    shown.name = entry.name;
    shown.tagline = manifest.store.tagline;
    shown.description = entry.description;
    shown.iconUrl = entry.iconUrl;
    shown.screenshots = manifest.store.screenshots;
    shown.categories = entry.categories;
    shown.collections = entry.collections;
    shown.publisher = {entry.publisher.type, entry.publisher.name, entry.publisher.verified};
    shown.surfaceKind = entry.surfaceKind;
    shown.surfaceGroup = entry.surfaceGroup;
    shown.launchable = entry.launchable;
    shown.householdCapable = entry.householdCapable;
    shown.contexts = entry.contexts;
    shown.comingSoon = app.comingSoon = manifest.store.comingSoon;
    shown.launch.webUrl = entry.launchUrl;
    if (!launchpadOrigin.empty()) shown.launch.universalLink = std::string(launchpadOrigin) + "/launch/" + entry.serviceId;
    shown.launch.ios = manifest.mobile.ios;
    shown.launch.android = manifest.mobile.android;
    shown.commerce = commerceOf(manifest.commerce, entry.publisher.type == "platform");
    for (const auto& scope : manifest.apiKeyScopes) shown.permissionsRequested.push_back(scope.scope);
    app.active = entry.active;
    const bool announced = app.comingSoon && entry.status == "ready";
    app.listed = (entry.active || announced) && entry.surfaceKind != "internal" && entry.serviceId != ownServiceId;
    app.remote = entry.remote;
    app.sortName = fold(entry.name);
    app.launchUrl = entry.launchUrl;
    app.callbackUrls = entry.callbackUrls;
    app.origins = entry.origins;
    app.widgetUrl = entry.widgetUrl;
    app.widgets = std::move(manifest.widget.widgets);
    app.scopes = std::move(manifest.apiKeyScopes);
    app.longDescription = manifest.store.longDescription;
    app.changelog = manifest.store.changelog;
    app.privacyUrl = manifest.store.privacyUrl;
    app.supportUrl = manifest.store.supportUrl;
    app.related = manifest.store.related;
    app.links = manifestOf<LinkManifest>(entry).mobile;
    app.createdAt = entry.createdAt;
    return app;
}

/// `business-essentials` is "Business essentials".
std::string titleOf(std::string id)
{
    std::ranges::replace(id, '-', ' ');
    if (!id.empty() && id[0] >= 'a' && id[0] <= 'z') id[0] = static_cast<char>(id[0] - 'a' + 'A');
    return id;
}

std::vector<AppGroup> groupsOf(const std::vector<App>& apps, std::vector<std::string> StoreApp::*ids)
{
    std::map<std::string, AppGroup> groups;
    for (const auto& app : apps)
    {
        if (!app.listed) continue;
        for (const auto& id : app.shown.*ids)
        {
            auto& group = groups[id];
            ++group.count;
            if (app.serves("personal")) group.orgFirst = false;
        }
    }
    std::vector<AppGroup> list;
    for (auto& [id, group] : groups)
    {
        group.id = id;
        group.title = titleOf(id);
        list.push_back(std::move(group));
    }
    return list;
}

/// Registry entry of the launchpad, for the links that begin at it.
std::string ownOrigin(const std::vector<interfaces::CatalogEntry>& entries)
{
    const auto own = std::ranges::find(entries, ownServiceId, &interfaces::CatalogEntry::serviceId);
    return own == entries.end() ? std::string() : own->origin;
}
} // namespace

bool App::serves(std::string_view context) const { return std::ranges::find(shown.contexts, context) != shown.contexts.end(); }

AppCatalog::AppCatalog(const std::vector<interfaces::CatalogEntry>& entries)
{
    const auto origin = ownOrigin(entries);
    _apps.reserve(entries.size());
    for (const auto& entry : entries) _apps.push_back(appOf(entry, origin));
    std::vector<SearchText> texts;
    for (std::size_t i = 0; i < _apps.size(); ++i)
    {
        auto& app = _apps[i];
        _byId.emplace(app.shown.serviceId, i);
        if (!app.listed) continue;
        app.text = textOf(app.shown);
        app.digest = sha256(app.text.begin.text + app.text.commerce.text + app.text.end.text).hex().substr(0, 32);
        _bySlug.emplace(app.shown.slug, i);
        _byName.push_back(i);
        texts.push_back({i, "name", app.shown.name, 1.0});
        texts.push_back({i, "tagline", app.shown.tagline, 0.6});
        for (const auto& category : app.shown.categories) texts.push_back({i, "categories", category, 0.5});
        texts.push_back({i, "description", app.shown.description, 0.3});
    }
    _index = SearchIndex(texts);
    std::ranges::sort(_byName, {}, [&](std::size_t i) { return std::tie(_apps[i].sortName, _apps[i].shown.serviceId); });
    _byAge = _byName;
    std::ranges::stable_sort(_byAge, std::ranges::greater(), [&](std::size_t i) { return _apps[i].createdAt; });
    _categories = groupsOf(_apps, &StoreApp::categories);
    _collections = groupsOf(_apps, &StoreApp::collections);
}

const App* AppCatalog::find(std::string_view serviceId) const
{
    const auto found = _byId.find(serviceId);
    return found == _byId.end() ? nullptr : &_apps[found->second];
}

const App* AppCatalog::findBySlug(std::string_view slug) const
{
    const auto found = _bySlug.find(slug);
    return found == _bySlug.end() ? nullptr : &_apps[found->second];
}

} // namespace portico::launchpad
