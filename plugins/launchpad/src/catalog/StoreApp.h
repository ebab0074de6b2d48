#pragma once

#include "catalog/AppManifest.h"
#include "plans/Package.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

struct AppPublisher
{
    /// `platform` or `organization`.
    std::string type = "platform";
    std::string name;
    bool verified = false;
};

constexpr auto schemaOf(const AppPublisher*)
{
    return describe(members<&AppPublisher::type, &AppPublisher::name, &AppPublisher::verified>());
}

/// The subscription that opens an app to a caller.
struct EntitledBy
{
    std::string subscriptionId;
    Package bundle = Package::Three;
};

constexpr auto schemaOf(const EntitledBy*) { return describe(members<&EntitledBy::subscriptionId, &EntitledBy::bundle>()); }

/// Price of an app (CommerceMetadata of 2.12).
struct Commerce
{
    Pricing pricing = Pricing::Included;
    bool bundleEligible = false;
    bool countsTowardBundle = false;
    std::vector<std::string> bundles;
    std::optional<Price> minimumPrice;
    bool listedPriceIsMinimum = true;
    std::int64_t trialDays = 0;
    bool salesContact = false;
    /// The caller's; empty where no caller is known.
    std::optional<bool> entitled;
    std::optional<EntitledBy> entitledBy;
};

constexpr auto schemaOf(const Commerce*)
{
    return describe(members<&Commerce::pricing, &Commerce::bundleEligible, &Commerce::countsTowardBundle, &Commerce::bundles,
                            &Commerce::minimumPrice, &Commerce::listedPriceIsMinimum, &Commerce::trialDays, &Commerce::salesContact>(),
                    field<&Commerce::entitled>().omitEmpty().description("Whether the active context may use the app"),
                    field<&Commerce::entitledBy>().omitEmpty().description("Subscription whose package contains the app"));
}

/// Addresses at which an app is opened.
struct LaunchTargets
{
    std::string webUrl;
    std::string universalLink;
    IosApp ios;
    AndroidApp android;
};

constexpr auto schemaOf(const LaunchTargets*)
{
    return describe(members<&LaunchTargets::webUrl, &LaunchTargets::universalLink, &LaunchTargets::ios, &LaunchTargets::android>());
}

/// An app in the public store.
struct StoreApp
{
    std::string serviceId;
    std::string slug;
    std::string name;
    std::string tagline;
    std::string description;
    std::string iconUrl;
    std::vector<std::string> screenshots;
    std::vector<std::string> categories;
    std::vector<std::string> collections;
    AppPublisher publisher;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = false;
    bool householdCapable = false;
    std::vector<std::string> contexts;
    bool comingSoon = false;
    LaunchTargets launch;
    Commerce commerce;
    std::vector<std::string> permissionsRequested;
};

constexpr auto schemaOf(const StoreApp*)
{
    return describe(
        field<&StoreApp::serviceId>("service_id"),
        members<&StoreApp::slug, &StoreApp::name, &StoreApp::tagline, &StoreApp::description, &StoreApp::iconUrl, &StoreApp::screenshots,
                &StoreApp::categories, &StoreApp::collections, &StoreApp::publisher>(),
        field<&StoreApp::surfaceKind>("surface_kind"), field<&StoreApp::surfaceGroup>("surface_group"), field<&StoreApp::launchable>(),
        field<&StoreApp::householdCapable>("household_capable"),
        members<&StoreApp::contexts, &StoreApp::comingSoon, &StoreApp::launch, &StoreApp::commerce, &StoreApp::permissionsRequested>());
}

/// JSON of a StoreApp, made once per version of the registry. The price is separate because a part of it is the caller's.
struct StoreAppText
{
    /// The members before `commerce`.
    Json begin;
    Json commerce;
    /// The members after it.
    Json end;
};

constexpr auto schemaOf(const StoreAppText*)
{
    return describe(field<&StoreAppText::begin>().flattened(), field<&StoreAppText::commerce>(), field<&StoreAppText::end>().flattened())
        .documentedAs<StoreApp>();
}

StoreAppText textOf(const StoreApp& app);

} // namespace portico::launchpad
