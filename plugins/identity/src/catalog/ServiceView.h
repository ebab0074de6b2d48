#pragma once

#include "catalog/Manifest.h"

#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Publisher of a service.
struct Publisher
{
    /// Either `platform` or `organization`.
    std::string type = "platform";
    std::optional<OrganizationId> organizationId;
    std::string name = "Platform";
};

constexpr auto schemaOf(const Publisher*) { return describe(members<&Publisher::type, &Publisher::organizationId, &Publisher::name>()); }

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
    /// Event types to which webhook endpoints of organizations with access can subscribe.
    std::vector<std::string> webhookEvents;
    Json mobile;
    /// Translated titles of its permissions, bundles, scopes and resource types, from its manifest.
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
    return describe(field<&ServiceView::serviceId>("service_id"),
                    members<&ServiceView::name, &ServiceView::description, &ServiceView::publisher, &ServiceView::status>(),
                    field<&ServiceView::surfaceKind>("surface_kind"), field<&ServiceView::surfaceGroup>("surface_group"),
                    field<&ServiceView::launchable>(), field<&ServiceView::householdCapable>("household_capable"),
                    members<&ServiceView::contexts, &ServiceView::launchUrl, &ServiceView::callbackUrls, &ServiceView::origins,
                            &ServiceView::widgetUrl, &ServiceView::iconUrl, &ServiceView::categories, &ServiceView::webhookEvents,
                            &ServiceView::mobile, &ServiceView::texts, &ServiceView::personalAccess, &ServiceView::enabled,
                            &ServiceView::complete, &ServiceView::manifestVersion, &ServiceView::manifestSha256, &ServiceView::createdAt,
                            &ServiceView::updatedAt, &ServiceView::version>())
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
    return describe(members<&OnboardingStep::id, &OnboardingStep::title, &OnboardingStep::required>());
}

struct ServiceRow;

/// @param manifest that of the row
ServiceView viewOf(const ServiceRow& row, const ServiceManifest& manifest, const std::string& publisherName);
/// The steps that a manifest asks of who begins with the service.
std::vector<OnboardingStep> onboardingSteps(const ServiceManifest& manifest);
/// Makes a path absolute at an origin; returns other text unchanged.
std::string absoluteUrl(std::string_view origin, std::string_view url);

} // namespace portico::identity
