#include "host/plugins/quarantine/Quarantine.h"

#include "host/base/DurableFiles.h"
#include "host/plugins/runtime/PluginScope.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{

constexpr std::size_t tolerated = 2;
constexpr std::chrono::minutes window{10};
/// More than this is history: the file would grow for ever where a service manager starts a broken host again and again.
constexpr std::size_t keptLines = 1000;

std::optional<Crash> parse(const std::string& line)
{
    std::istringstream words(line);
    std::int64_t at = 0, run = 0;
    char phase = 0;
    Crash crash;
    if (!(words >> at >> run >> crash.serviceId >> crash.sha256 >> crash.generation >> phase >> crash.signal)) return std::nullopt;
    std::getline(words >> std::ws, crash.details);
    if (crash.serviceId == "-") crash.serviceId = crash.sha256 = {};
    crash.at = fromMillis(at);
    crash.run = fromMillis(run);
    crash.serving = phase == static_cast<char>(PluginTag::Phase::Serving);
    return crash;
}

std::vector<std::string> linesOf(const fs::path& file)
{
    std::vector<std::string> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
    return lines;
}

/// Where that cannot be done now, the next start tries again.
void shorten(const fs::path& file, const std::vector<std::string>& lines)
try
{
    std::string content;
    for (const auto& line : lines) content.append(line).append("\n");
    replaceFile(file, content);
}
catch (const std::system_error&)
{
}

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

fs::path CrashReports::file(const fs::path& stateDirectory) { return stateDirectory / "crashes" / "report"; }

CrashReports::CrashReports(const fs::path& stateDirectory) : _folder(file(stateDirectory).parent_path())
{
    fs::create_directories(_folder);
    auto lines = linesOf(file(stateDirectory));
    if (lines.size() > keptLines)
    {
        lines.erase(lines.begin(), lines.end() - keptLines / 2);
        shorten(file(stateDirectory), lines);
    }
    std::set<std::string> services;
    for (const auto& line : lines)
        if (auto crash = parse(line))
        {
            if (!crash->serviceId.empty()) services.insert(crash->serviceId);
            _crashes.push_back(*std::move(crash));
        }
    for (const auto& service : services) dropReleased(service);
}

void CrashReports::dropReleased(const std::string& serviceId)
{
    std::int64_t until = 0;
    if (!(std::ifstream(released(serviceId)) >> until)) return;
    std::erase_if(_crashes, [&](const Crash& crash) { return crash.serviceId == serviceId && toMillis(crash.at) <= until; });
}

std::string CrashReports::whyQuarantined(std::string_view serviceId, std::string_view sha256) const
{
    std::vector<Instant> runs;
    const Crash* last = nullptr;
    for (const auto& crash : _crashes)
    {
        if (!crash.serving || crash.serviceId != serviceId || crash.sha256 != sha256) continue;
        if (last && last->run == crash.run) continue;
        last = &crash;
        runs.push_back(crash.at);
    }
    std::ranges::sort(runs);
    for (std::size_t i = tolerated; i < runs.size(); ++i)
        if (runs[i] - runs[i - tolerated] <= window)
            return "it ended the host " + std::to_string(tolerated + 1) + " times within " + std::to_string(window.count()) +
                   " minutes, last by signal " + std::to_string(last->signal) + " at " + toString(last->at);
    return {};
}

void CrashReports::release(const std::string& serviceId, Instant now)
{
    if (std::ranges::none_of(_crashes, [&](const Crash& crash) { return crash.serviceId == serviceId; })) return;
    std::ofstream(released(serviceId)) << toMillis(now) << '\n';
    dropReleased(serviceId);
}

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

bool StartMarkers::isQuarantined(const std::string& serviceId, const std::string& sha256) const
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
    if (served) release(serviceId);
}

void StartMarkers::release(const std::string& serviceId) const
{
    std::error_code ignored;
    fs::remove(crashes(serviceId), ignored);
}

} // namespace portico::host::plugins
