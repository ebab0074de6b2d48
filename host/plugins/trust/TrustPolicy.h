#pragma once

#include "host/plugins/package/Discovery.h"
#include "host/plugins/package/FileList.h"
#include "host/plugins/trust/SigningKey.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// Returns the fault if users other than root and this process's user could change the file at `path`, as `expected …,
/// found …: <remedy>` with the file or folder; empty otherwise. Checks the owner and the write access of group and others,
/// for the path and every folder above it, links followed. A sticky folder (such as /tmp) is accepted. So is a missing
/// file.
std::string whoElseMayChange(const std::filesystem::path& path);

struct TrustedKey
{
    /// That of the file without `.pub`.
    std::string name;
    PublicKey key;
};

/// Keys that are trusted for signatures. A value.
struct TrustedKeys
{
    std::filesystem::path folder;
    /// By name.
    std::vector<TrustedKey> keys;
    /// Files that are no keys or that other users may change. Also the folder, if other users may change it or a folder above it: none of
    /// its keys is trusted then.
    std::vector<std::string> faults;
    /// SHA-256 of revoked files, or of a plugin's list of files, with the line in `<folder>/revoked`.
    std::map<std::string, int, std::less<>> revoked;
    /// That file is malformed, or other users may change it: no key is trusted then.
    bool revokedUnknown = false;
    /// A signature by none of the keys is no fault: for looking at a plugin where it was built.
    bool anySigner = false;

    /// Reads `<folder>/*.pub` and `<folder>/revoked`. A missing folder has no keys. Never throws for its contents.
    static TrustedKeys read(const std::filesystem::path& folder);
    /// The key that made the signature, or null.
    const TrustedKey* signer(std::string_view message, std::string_view signature) const;
    /// Why a file of that hash is not trusted, or empty; `file` is what the text names.
    std::string whyRevoked(const std::filesystem::path& file, std::string_view sha256) const;
    /// `/etc/portico/trusted-keys.d (acme, build)`, for people.
    std::string text() const;
};

/// Which plugins are loaded. Settings, read at the start; the keys themselves are read each time that a plugin is judged.
struct TrustPolicy
{
    OwnServices services;
    /// Folder of the keys that are trusted for signatures (`plugins.trustedKeys`).
    std::filesystem::path trustedKeys;
    /// Ids of those that are loaded without a signature (`plugins.allowUnsigned`).
    std::set<std::string, std::less<>> allowUnsigned;
    /// Only what came with the host is started (`plugins.safeMode`).
    bool safeMode = false;
};

/// Provenance of what came with the host.
inline constexpr std::string_view builtInProvenance = "built-in";

/// Why a plugin is loaded, or why it is not.
struct TrustVerdict
{
    /// `built-in`, `signed by acme`, `unsigned`, for people.
    std::string provenance;
    /// It is loaded only because a setting names it.
    bool byException = false;
    /// Every reason not to load it.
    std::vector<std::string> faults;
};

/// Judges the copy of a plugin. `manifest` is that of the installed folder, which the texts name; `files` are those of the copy.
TrustVerdict judgeTrust(const TrustPolicy& policy, const Manifest& manifest, const std::filesystem::path& copy, const FileList& files);

} // namespace portico::host::plugins
