#pragma once

#include "catalog/Manifest.h"

#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Whose service it is.
struct Publisher
{
    /// `platform` or `organization`.
    std::string type = "platform";
    std::optional<OrganizationId> organizationId;
    std::string name = "Platform";
};

constexpr auto schemaOf(const Publisher*)
{
    return describe(field("type", &Publisher::type), field("organizationId", &Publisher::organizationId), field("name", &Publisher::name));
}

/// A service as the registry shows it: `Service` of the interface.
struct ServiceView
{
    std::string serviceId;
    std::string name;
    std::string description;
    Publisher publisher;
    std::string status;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = false;
    bool householdCapable = false;
    std::vector<ContextKind> contexts;
    std::string launchUrl;
    std::vector<std::string> callbackUrls;
    std::vector<std::string> origins;
    std::string widgetUrl;
    std::string iconUrl;
    std::vector<std::string> categories;
    /// What webhook endpoints of an organization that has the service may ask for.
    std::vector<std::string> webhookEvents;
    Json mobile;
    /// Titles of its permissions, bundles, scopes and types of resources in other languages, as its manifest has them.
    std::map<std::string, ManifestTexts> texts;
    bool personalAccess = false;
    /// False while no host runs it.
    bool enabled = true;
    bool complete = false;
    std::int64_t manifestVersion = 1;
    std::string manifestSha256;
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
};

constexpr auto schemaOf(const ServiceView*)
{
    return describe(field("service_id", &ServiceView::serviceId), field("name", &ServiceView::name),
                    field("description", &ServiceView::description), field("publisher", &ServiceView::publisher),
                    field("status", &ServiceView::status), field("surface_kind", &ServiceView::surfaceKind),
                    field("surface_group", &ServiceView::surfaceGroup), field("launchable", &ServiceView::launchable),
                    field("household_capable", &ServiceView::householdCapable), field("contexts", &ServiceView::contexts),
                    field("launchUrl", &ServiceView::launchUrl), field("callbackUrls", &ServiceView::callbackUrls),
                    field("origins", &ServiceView::origins), field("widgetUrl", &ServiceView::widgetUrl),
                    field("iconUrl", &ServiceView::iconUrl), field("categories", &ServiceView::categories),
                    field("webhookEvents", &ServiceView::webhookEvents), field("mobile", &ServiceView::mobile),
                    field("texts", &ServiceView::texts), field("personalAccess", &ServiceView::personalAccess),
                    field("enabled", &ServiceView::enabled), field("complete", &ServiceView::complete),
                    field("manifestVersion", &ServiceView::manifestVersion), field("manifestSha256", &ServiceView::manifestSha256),
                    field("createdAt", &ServiceView::createdAt), field("updatedAt", &ServiceView::updatedAt),
                    field("version", &ServiceView::version))
        .named("Service");
}

struct OnboardingStep
{
    std::string id;
    std::string title;
    bool required = false;
};

constexpr auto schemaOf(const OnboardingStep*)
{
    return describe(field("id", &OnboardingStep::id), field("title", &OnboardingStep::title), field("required", &OnboardingStep::required));
}

struct ServiceRow;

/// @param manifest that of the row
ServiceView viewOf(const ServiceRow& row, const ServiceManifest& manifest, const std::string& publisherName);
/// The steps that a manifest asks of who begins with the service.
std::vector<OnboardingStep> onboardingSteps(const ServiceManifest& manifest);
/// A path of an origin in full; anything else as it is.
std::string absoluteUrl(std::string_view origin, std::string_view url);

} // namespace portico::identity
