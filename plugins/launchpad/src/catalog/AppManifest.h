#pragma once

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// An amount of money for an interval.
struct Price
{
    /// Minor units.
    std::int64_t amount = 0;
    /// ISO 4217.
    std::string currency;
    std::string interval;
};

constexpr auto schemaOf(const Price*)
{
    return describe(field<&Price::amount>().description("Minor units of the currency"), members<&Price::currency, &Price::interval>());
}

enum class Pricing
{
    Included,
    Paid,
    Free,
    Contact
};

constexpr auto schemaOf(const Pricing*)
{
    using enum Pricing;
    return portico::choices<Pricing>({{"included", Included}, {"paid", Paid}, {"free", Free}, {"contact", Contact}});
}

struct AppChange
{
    std::string version;
    std::string date;
    std::string text;
};

constexpr auto schemaOf(const AppChange*) { return describe(members<&AppChange::version, &AppChange::date, &AppChange::text>()); }

/// Member `store` of a manifest.
struct StoreText
{
    std::string slug;
    std::string tagline;
    std::string longDescription;
    std::vector<std::string> screenshots;
    std::vector<AppChange> changelog;
    std::string privacyUrl;
    std::string supportUrl;
    std::vector<std::string> related;
    bool comingSoon = false;
};

constexpr auto schemaOf(const StoreText*)
{
    return describe(
        members<&StoreText::slug, &StoreText::tagline, &StoreText::longDescription, &StoreText::screenshots, &StoreText::changelog,
                &StoreText::privacyUrl, &StoreText::supportUrl, &StoreText::related, &StoreText::comingSoon>());
}

/// Member `commerce` of a manifest.
struct CommerceTerms
{
    Pricing pricing = Pricing::Included;
    bool bundleEligible = false;
    bool countsTowardBundle = false;
    std::optional<Price> minimumPrice;
    std::int64_t trialDays = 0;
    bool salesContact = false;
};

constexpr auto schemaOf(const CommerceTerms*)
{
    return describe(members<&CommerceTerms::pricing, &CommerceTerms::bundleEligible, &CommerceTerms::countsTowardBundle,
                            &CommerceTerms::minimumPrice, &CommerceTerms::trialDays, &CommerceTerms::salesContact>());
}

struct IosApp
{
    std::string bundleId;
    std::string appStoreUrl;
};

constexpr auto schemaOf(const IosApp*) { return describe(members<&IosApp::bundleId, &IosApp::appStoreUrl>()); }

struct AndroidApp
{
    std::string packageName;
    std::string playStoreUrl;
};

constexpr auto schemaOf(const AndroidApp*) { return describe(members<&AndroidApp::packageName, &AndroidApp::playStoreUrl>()); }

/// IDs of the native apps that may open links of the launchpad.
struct IosLinks
{
    std::string teamId;
};

constexpr auto schemaOf(const IosLinks*) { return describe(members<&IosLinks::teamId>()); }

struct AndroidLinks
{
    std::vector<std::string> sha256CertFingerprints;
};

constexpr auto schemaOf(const AndroidLinks*) { return describe(members<&AndroidLinks::sha256CertFingerprints>()); }

struct MobileLinkIds
{
    IosLinks ios;
    AndroidLinks android;
};

constexpr auto schemaOf(const MobileLinkIds*) { return describe(members<&MobileLinkIds::ios, &MobileLinkIds::android>()); }

/// The link IDs in member `mobile` of a manifest. Stores do not show them.
struct LinkManifest
{
    MobileLinkIds mobile;
};

constexpr auto schemaOf(const LinkManifest*) { return describe(members<&LinkManifest::mobile>()); }

/// Member `mobile` of a manifest.
struct MobileApps
{
    IosApp ios;
    AndroidApp android;
};

constexpr auto schemaOf(const MobileApps*) { return describe(members<&MobileApps::ios, &MobileApps::android>()); }

struct ManifestWidget
{
    std::string id;
    std::string title;
    /// `s`, `m`, `l`; empty: all.
    std::vector<std::string> sizes;
};

constexpr auto schemaOf(const ManifestWidget*)
{
    return describe(members<&ManifestWidget::id, &ManifestWidget::title, &ManifestWidget::sizes>());
}

/// Member `widget` of a manifest.
struct ManifestWidgets
{
    std::vector<ManifestWidget> widgets;
};

constexpr auto schemaOf(const ManifestWidgets*) { return describe(members<&ManifestWidgets::widgets>()); }

/// A scope that the app offers to API keys.
struct AppScope
{
    std::string scope;
    std::string title;
};

constexpr auto schemaOf(const AppScope*) { return describe(members<&AppScope::scope, &AppScope::title>()); }

/// The members of a manifest that the launchpad reads. All are optional.
struct AppManifest
{
    StoreText store;
    CommerceTerms commerce;
    MobileApps mobile;
    ManifestWidgets widget;
    std::vector<AppScope> apiKeyScopes;
};

constexpr auto schemaOf(const AppManifest*)
{
    return describe(
        members<&AppManifest::store, &AppManifest::commerce, &AppManifest::mobile, &AppManifest::widget, &AppManifest::apiKeyScopes>());
}

} // namespace portico::launchpad
