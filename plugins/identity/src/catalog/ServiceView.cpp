#include "catalog/ServiceView.h"

#include "catalog/Catalog.h"

#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// The part of `widget` that the registry shows.
struct WidgetPlace
{
    std::string url;
};

constexpr auto schemaOf(const WidgetPlace*) { return describe(field<&WidgetPlace::url>()); }

struct OnboardingPart
{
    std::vector<OnboardingStep> steps;
};

constexpr auto schemaOf(const OnboardingPart*) { return describe(field<&OnboardingPart::steps>()); }

template <class T>
T partOf(const Json& json)
{
    return json.text == "null" ? T() : fromStoredJson<T>(json.text);
}

} // namespace

std::string absoluteUrl(std::string_view origin, std::string_view url)
{
    const bool isPath = url.starts_with('/');
    return (isPath ? std::string(origin) : std::string()) + std::string(url);
}

ServiceView viewOf(const ServiceRow& row, const ServiceManifest& manifest, const std::string& publisherName)
{
    ServiceView view;
    view.serviceId = row.serviceId;
    view.name = row.name;
    view.description = row.description;
    if (row.publisherId) view.publisher = {"organization", row.publisherId, publisherName};
    view.status = row.status;
    view.surfaceKind = manifest.surfaceKind;
    view.surfaceGroup = manifest.surfaceGroup;
    view.launchable = manifest.launchable;
    view.householdCapable = manifest.householdCapable;
    view.contexts = row.contexts;
    view.launchUrl = absoluteUrl(row.origin, manifest.launchUrl);
    for (const auto& url : manifest.callbackUrls) view.callbackUrls.push_back(absoluteUrl(row.origin, url));
    view.origins = manifest.origins;
    if (!row.origin.empty() && std::ranges::find(view.origins, row.origin) == view.origins.end())
        view.origins.insert(view.origins.begin(), row.origin);
    view.widgetUrl = absoluteUrl(row.origin, partOf<WidgetPlace>(manifest.widget).url);
    view.iconUrl = absoluteUrl(row.origin, manifest.iconUrl);
    view.categories = manifest.categories;
    view.webhookEvents = manifest.webhookEvents;
    view.mobile = manifest.mobile.text == "null" ? Json{"{}"} : manifest.mobile;
    view.texts = manifest.texts;
    view.personalAccess = row.personalAccess;
    view.enabled = row.enabled;
    view.complete = row.complete;
    view.manifestVersion = manifest.manifestVersion;
    view.manifestSha256 = row.manifestSha256;
    view.createdAt = row.createdAt;
    view.updatedAt = row.updatedAt;
    view.version = row.version;
    return view;
}

std::vector<OnboardingStep> onboardingSteps(const ServiceManifest& manifest) { return partOf<OnboardingPart>(manifest.onboarding).steps; }

} // namespace portico::identity
