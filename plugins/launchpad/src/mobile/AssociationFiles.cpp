#include "mobile/AssociationFiles.h"

#include "portico/Json.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

namespace portico::launchpad
{

namespace
{
constexpr std::size_t teamIdLength = 10, fingerprintLength = 95, pairWithColon = 3;
constexpr std::string_view shellPaths[] = {"/dashboard", "/apps", "/actions", "/settings", "/settings/*", "/mobile/callback"};

struct LinkQuery
{
    std::string code = "?*";

    friend constexpr auto schemaOf(const LinkQuery*) { return describe(members<&LinkQuery::code>()); }
};

struct LinkComponent
{
    std::string path;
    std::optional<LinkQuery> query;

    friend constexpr auto schemaOf(const LinkComponent*)
    {
        return describe(field("/", &LinkComponent::path), field("?", &LinkComponent::query).omitEmpty());
    }
};

struct LinkDetail
{
    std::vector<std::string> appIds;
    std::vector<LinkComponent> components;

    friend constexpr auto schemaOf(const LinkDetail*)
    {
        return describe(field("appIDs", &LinkDetail::appIds), field("components", &LinkDetail::components));
    }
};

struct AppLinks
{
    std::vector<LinkDetail> details;

    friend constexpr auto schemaOf(const AppLinks*) { return describe(members<&AppLinks::details>()); }
};

struct AppleFile
{
    AppLinks applinks;

    friend constexpr auto schemaOf(const AppleFile*) { return describe(members<&AppleFile::applinks>()); }
};

struct AndroidTarget
{
    std::string space = "android_app";
    std::string package;
    std::vector<std::string> fingerprints;

    friend constexpr auto schemaOf(const AndroidTarget*)
    {
        return describe(field("namespace", &AndroidTarget::space), field("package_name", &AndroidTarget::package),
                        field("sha256_cert_fingerprints", &AndroidTarget::fingerprints));
    }
};

struct AssetLink
{
    std::vector<std::string> relation = {"delegate_permission/common.handle_all_urls"};
    AndroidTarget target;

    friend constexpr auto schemaOf(const AssetLink*) { return describe(members<&AssetLink::relation, &AssetLink::target>()); }
};

// External services may register any text in their manifests, so only valid IDs are written to the files.

bool isTeamId(std::string_view text)
{
    return text.size() == teamIdLength &&
           std::ranges::all_of(text, [](char each) { return (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9'); });
}

/// Bundles and packages: letters, digits, `-`, `_` and dots.
bool isAppName(std::string_view text)
{
    return !text.empty() && text.find('.') != std::string_view::npos &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == std::string_view::npos;
}

bool isFingerprint(std::string_view text)
{
    if (text.size() != fingerprintLength) return false;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const bool colon = i % pairWithColon == pairWithColon - 1;
        if (colon ? text[i] != ':' : std::string_view("0123456789ABCDEF").find(text[i]) == std::string_view::npos) return false;
    }
    return true;
}

std::vector<std::string> validOf(const std::vector<std::string>& fingerprints)
{
    std::vector<std::string> valid;
    std::ranges::copy_if(fingerprints, std::back_inserter(valid), isFingerprint);
    return valid;
}

/// Writes a file without its last entries if it is too large with them.
template <class File, class Entry>
std::string fitted(const File& file, std::vector<Entry>& entries)
{
    auto text = toJson(file);
    while (text.size() > longestAssociationFile)
    {
        entries.resize(entries.size() - std::max<std::size_t>(1, entries.size() / 10));
        text = toJson(file);
    }
    return text;
}
} // namespace

ShellIds::ShellIds(const Config& config)
    : iosTeamId(config.text("launchpad.mobile.ios.teamId")),
      iosBundleId(config.text("launchpad.mobile.ios.bundleId")),
      androidPackage(config.text("launchpad.mobile.android.packageName")),
      androidFingerprints(config.list("launchpad.mobile.android.sha256CertFingerprints"))
{
}

std::string appleAssociation(const AppCatalog& apps, const ShellIds& shell)
{
    AppleFile file;
    auto& details = file.applinks.details;
    if (isTeamId(shell.iosTeamId) && isAppName(shell.iosBundleId))
    {
        auto& own = details.emplace_back();
        own.appIds = {shell.iosTeamId + '.' + shell.iosBundleId};
        for (const auto path : shellPaths) own.components.push_back({std::string(path), {}});
    }
    for (const auto& app : apps.all())
    {
        const auto& bundle = app.shown.launch.ios.bundleId;
        if (!app.active || !isTeamId(app.links.ios.teamId) || !isAppName(bundle)) continue;
        details.push_back({{app.links.ios.teamId + '.' + bundle}, {{"/launch/" + app.shown.serviceId, LinkQuery{}}}});
    }
    return fitted(file, details);
}

std::string assetLinks(const AppCatalog& apps, const ShellIds& shell)
{
    std::vector<AssetLink> links;
    const auto add = [&](const std::string& package, const std::vector<std::string>& fingerprints)
    {
        auto valid = validOf(fingerprints);
        if (!isAppName(package) || valid.empty()) return;
        auto& link = links.emplace_back();
        link.target.package = package;
        link.target.fingerprints = std::move(valid);
    };
    add(shell.androidPackage, shell.androidFingerprints);
    for (const auto& app : apps.all())
        if (app.active) add(app.shown.launch.android.packageName, app.links.android.sha256CertFingerprints);
    return fitted(links, links);
}

} // namespace portico::launchpad
