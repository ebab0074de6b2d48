#include "host/plugins/package/FileOwnership.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{

std::string userText(uid_t user)
{
    std::array<char, 4096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    const auto number = "uid " + std::to_string(user);
    if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || !found) return number;
    return std::string(found->pw_name) + " (" + number + ")";
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
        // The link itself: whose it is leads it elsewhere. Its mode means nothing.
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

} // namespace portico::host::plugins
