#pragma once

#include "host/plugins/trust/SigningKey.h"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

struct TrustedKey
{
    /// That of the file without `.pub`.
    std::string name;
    PublicKey key;
};

/// The keys whose signatures count. A value.
struct TrustedKeys
{
    std::filesystem::path folder;
    /// By name.
    std::vector<TrustedKey> keys;
    /// Files that are no keys or that others may change, and the folder when others may change it or a folder that leads to it: nothing of
    /// it is trusted then.
    std::vector<std::string> faults;
    /// SHA-256 of files, or of a plugin's list of files, that nobody trusts any more, and the line of `<folder>/revoked` that says so.
    std::map<std::string, int, std::less<>> revoked;
    /// That file cannot be understood, or others may change it: no key is trusted then.
    bool revokedUnknown = false;
    /// A signature by none of the keys is no fault: for looking at a plugin where it was built.
    bool anySigner = false;

    /// Reads `<folder>/*.pub` and `<folder>/revoked`. A folder that is not there holds no key. Never throws for what is in it.
    static TrustedKeys read(const std::filesystem::path& folder);
    /// The key that made the signature, or null.
    const TrustedKey* signer(std::string_view message, std::string_view signature) const;
    /// Why a file of that hash is not trusted, or empty; `file` is what the text names.
    std::string whyRevoked(const std::filesystem::path& file, std::string_view sha256) const;
    /// `/etc/portico/trusted-keys.d (acme, build)`, for people.
    std::string text() const;
};

} // namespace portico::host::plugins
