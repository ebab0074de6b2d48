#include "host/plugins/trust/TrustPolicy.h"

#include "host/base/ReadFiles.h"
#include "host/plugins/trust/FolderSignature.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include <sys/stat.h>
#include <unistd.h>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{

std::string userText(uid_t user)
{
    const auto number = "uid " + std::to_string(user);
    const auto name = nameOfUser(user);
    return name ? *name + " (" + number + ")" : number;
}

bool mayDecide(uid_t user) { return user == 0 || user == ::geteuid(); }

/// @param inside it leads to what is looked at, and is not that itself
std::string faultOf(const fs::path& path, const struct stat& status, bool inside)
{
    const char* const what = S_ISDIR(status.st_mode) ? "a folder" : "a file";
    const auto found = [&](const std::string& expected, const std::string& what_, const std::string& remedy)
    { return path.string() + ": expected " + what + " " + expected + ", found " + what_ + ": " + remedy + " it"; };
    if (!mayDecide(status.st_uid))
        return found("of root or of " + userText(::geteuid()), "one of " + userText(status.st_uid), "chown root");
    if (inside && (status.st_mode & S_ISVTX) != 0) return {};
    const std::string expected = "that its owner alone may change";
    if ((status.st_mode & S_IWOTH) != 0) return found(expected, "one that everybody may", "chmod go-w");
    if ((status.st_mode & S_IWGRP) != 0) return found(expected, "one that its group may", "chmod g-w");
    return {};
}

/// Empty, or what is wrong with one of the parts of an absolute path as it is written.
std::string faultAlong(const fs::path& path)
{
    fs::path part;
    for (const auto& name : path)
    {
        part /= name;
        struct stat status = {};
        // Checks the link itself: its owner can redirect it. Its mode means nothing.
        if (::lstat(part.c_str(), &status) != 0) return {};
        if (S_ISLNK(status.st_mode))
        {
            if (!mayDecide(status.st_uid))
                return part.string() + ": expected a link of root or of " + userText(::geteuid()) + ", found one of " +
                       userText(status.st_uid) + ": put the file itself there";
            if (::stat(part.c_str(), &status) != 0) return {};
        }
        if (auto fault = faultOf(part, status, part != path); !fault.empty()) return fault;
    }
    return {};
}

} // namespace

std::string whoElseMayChange(const fs::path& path)
{
    std::error_code error;
    const auto written = fs::absolute(path, error).lexically_normal();
    if (error) return {};
    if (auto fault = faultAlong(written.has_filename() ? written : written.parent_path()); !fault.empty()) return fault;
    const auto real = fs::canonical(written, error);
    return error || real == written ? std::string() : faultAlong(real);
}

namespace
{
void addKey(const fs::path& file, TrustedKeys& found)
{
    try
    {
        // Write access to it decides which code runs in the daemon.
        if (auto fault = whoElseMayChange(file); !fault.empty())
            found.faults.push_back(std::move(fault));
        else
            found.keys.push_back({file.stem().string(), PublicKey::read(file)});
    }
    catch (const std::exception& error)
    {
        found.faults.emplace_back(error.what());
    }
}
constexpr std::string_view revokedName = "revoked";

/// Reads the output of `sha256sum`; lines that begin with # are comments.
void readRevoked(const fs::path& file, TrustedKeys& found)
{
    std::error_code error;
    if (!fs::exists(fs::symlink_status(file, error))) return;
    if (auto fault = whoElseMayChange(file); !fault.empty()) throw std::runtime_error(fault);
    std::ifstream lines(file);
    if (!lines) throw std::runtime_error(file.string() + ": cannot be read: check its rights");
    int number = 0;
    for (std::string line; std::getline(lines, line);)
    {
        ++number;
        const auto first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#') continue;
        const auto hash = line.substr(first, line.find_first_of(" \t\r", first) - first);
        if (hash.size() != 64 || hash.find_first_not_of("0123456789abcdef") != std::string::npos)
            throw std::runtime_error(file.string() + ":" + std::to_string(number) +
                                     ": expected a SHA-256 as sha256sum prints it, found something else: until that is mended no key is "
                                     "trusted");
        found.revoked.try_emplace(hash, number);
    }
    if (lines.bad()) throw std::runtime_error(file.string() + ": cannot be read to its end");
}
} // namespace

TrustedKeys TrustedKeys::read(const fs::path& folder)
{
    TrustedKeys found{.folder = folder, .keys = {}, .faults = {}, .revoked = {}};
    std::error_code error;
    if (!fs::exists(folder, error)) return found;
    if (auto fault = whoElseMayChange(folder); !fault.empty())
    {
        found.faults.push_back(std::move(fault));
        return found;
    }
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (entry->path().extension() == ".pub") addKey(entry->path(), found);
    if (error)
        found.faults.push_back(folder.string() + ": expected a folder with keys (*.pub), found that it cannot be read: " + error.message());
    try
    {
        readRevoked(folder / revokedName, found);
    }
    catch (const std::exception& fault)
    {
        found.keys.clear();
        found.revokedUnknown = true;
        found.faults.emplace_back(fault.what());
    }
    std::ranges::sort(found.keys, {}, &TrustedKey::name);
    std::ranges::sort(found.faults);
    return found;
}

const TrustedKey* TrustedKeys::signer(std::string_view message, std::string_view signature) const
{
    const auto found = std::ranges::find_if(keys, [&](const TrustedKey& each) { return each.key.verifies(message, signature); });
    return found == keys.end() ? nullptr : &*found;
}

std::string TrustedKeys::whyRevoked(const fs::path& file, std::string_view sha256) const
{
    const auto line = revoked.find(sha256);
    if (line == revoked.end()) return {};
    return file.string() + ": expected a file that is trusted, found one that " + (folder / revokedName).string() + ":" +
           std::to_string(line->second) + " takes the trust from (SHA-256 " + std::string(sha256) + "): install another version";
}

std::string TrustedKeys::text() const
{
    std::string names;
    for (const auto& key : keys) names += (names.empty() ? "" : ", ") + key.name;
    return folder.string() + " (" + (names.empty() ? "none is there" : names) + ")";
}

namespace
{
std::string unsignedFault(const Manifest& manifest, const TrustedKeys& keys)
{
    return (manifest.directory() / signatureName).string() + ": expected a signature of '" + manifest.serviceId +
           "', which did not come with the host, by one of the keys in " + keys.text() +
           ", found none: have it signed (porticoctl plugin sign), or, if you trust it as it is, name it in plugins.allowUnsigned and "
           "restart the "
           "daemon";
}
} // namespace

TrustVerdict judgeTrust(const TrustPolicy& policy, const Manifest& manifest, const std::filesystem::path& copy, const FileList& files)
{
    const auto keys = TrustedKeys::read(policy.trustedKeys);
    auto proof = readFolderSignature(copy, manifest.directory(), keys, &files);
    TrustVerdict verdict{.provenance = {}, .byException = false, .faults = std::move(proof.faults)};
    if (policy.services.builtIn(manifest.serviceId, manifest.directory()))
        verdict.provenance = builtInProvenance;
    else if (!proof.key.empty())
        verdict.provenance = "signed by " + proof.key;
    else if (policy.allowUnsigned.contains(manifest.serviceId) && !keys.revokedUnknown)
    {
        verdict.provenance = "unsigned";
        verdict.byException = true;
    }
    else if (!proof.signedByKey)
        verdict.faults.push_back(unsignedFault(manifest, keys));
    // A key that cannot be read may be the one that is missed.
    if (!verdict.faults.empty()) std::ranges::copy(keys.faults, std::back_inserter(verdict.faults));
    return verdict;
}

} // namespace portico::host::plugins
