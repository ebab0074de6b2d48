#include "host/plugins/quarantine/StartMarkers.h"

#include <fstream>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
constexpr int toleratedStarts = 1;

/// A file's hash and how often its start ended the host.
struct Crashes
{
    std::string sha256;
    int count = 0;
};

Crashes readCrashes(const fs::path& file)
{
    Crashes crashes;
    std::ifstream(file) >> crashes.sha256 >> crashes.count;
    return crashes;
}
} // namespace

StartMarkers::StartMarkers(const fs::path& stateDirectory) : _folder(stateDirectory / "starts")
{
    fs::create_directories(_folder);
    for (const auto& entry : fs::directory_iterator(_folder))
    {
        if (entry.path().extension() != ".starting") continue;
        const auto serviceId = entry.path().stem().string();
        std::string sha256;
        std::ifstream(entry.path()) >> sha256;
        auto known = readCrashes(crashes(serviceId));
        if (known.sha256 != sha256) known = {.sha256 = sha256, .count = 0};
        std::ofstream(crashes(serviceId)) << known.sha256 << ' ' << known.count + 1 << '\n';
        fs::remove(entry.path());
    }
}

bool StartMarkers::isHeldBack(const std::string& serviceId, const std::string& sha256) const
{
    const auto known = readCrashes(crashes(serviceId));
    return known.sha256 == sha256 && known.count > toleratedStarts;
}

void StartMarkers::begin(const std::string& serviceId, const std::string& sha256) const
{
    std::ofstream(marker(serviceId)) << sha256 << '\n';
}

void StartMarkers::end(const std::string& serviceId, bool served) const
{
    std::error_code ignored;
    fs::remove(marker(serviceId), ignored);
    if (served) forgive(serviceId);
}

void StartMarkers::forgive(const std::string& serviceId) const
{
    std::error_code ignored;
    fs::remove(crashes(serviceId), ignored);
}

} // namespace portico::host::plugins
