#include "host/plugins/lifecycle/ServedVersions.h"

#include "host/plugins/package/Version.h"

#include <fstream>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

ServedVersions::ServedVersions(const fs::path& stateDirectory) : _folder(stateDirectory / "served")
{
    fs::create_directories(_folder);
    fs::permissions(_folder, fs::perms::owner_all);
    for (const auto& entry : fs::directory_iterator(_folder)) std::ifstream(entry.path()) >> _versions[entry.path().filename().string()];
}

std::string ServedVersions::note(const std::string& serviceId, const std::string& version)
{
    auto& last = _versions[serviceId];
    if (last == version) return {};
    std::string text;
    if (!last.empty() && compareVersions(version, last) < 0)
        text =
            "version " + version + " is lower than " + last +
            ", which served before: if nobody meant to go back, find out who put it there (a signature does not say that it is the newest)";
    last = version;
    std::ofstream(_folder / serviceId) << version << '\n';
    std::error_code ignored;
    fs::permissions(_folder / serviceId, fs::perms::owner_read | fs::perms::owner_write, ignored);
    return text;
}

} // namespace portico::host::plugins
