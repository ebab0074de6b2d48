#pragma once

#include "catalog/AppCatalog.h"

#include "portico/Config.h"

#include <cstddef>
#include <string>
#include <vector>

namespace portico::launchpad
{

/// The shell's own IDs, from `launchpad.mobile.*`.
struct ShellIds
{
    explicit ShellIds(const Config& config);
    ShellIds() = default;

    std::string iosTeamId;
    std::string iosBundleId;
    std::string androidPackage;
    std::vector<std::string> androidFingerprints;
};

/// Largest file that Apple's servers fetch. Services with the last IDs are left out of a file that would be larger.
inline constexpr std::size_t longestAssociationFile = 128 * 1024;

/// Returns `apple-app-site-association` as JSON: active services with a valid team and bundle claim `/launch/{service_id}` with a code, the
/// shell claims its pages and `/mobile/callback`.
std::string appleAssociation(const AppCatalog& apps, const ShellIds& shell);
/// Returns `assetlinks.json`: active services with a package and valid fingerprints, and the shell.
std::string assetLinks(const AppCatalog& apps, const ShellIds& shell);

} // namespace portico::launchpad
