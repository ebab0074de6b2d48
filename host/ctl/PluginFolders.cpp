#include "host/ctl/PluginFolders.h"

#include "host/config/InstallLayout.h"
#include "host/ctl/Arguments.h"
#include "host/data/migrations/MigrationFiles.h"

#include <boost/json/array.hpp>

#include <algorithm>

namespace portico::host::ctl
{

namespace fs = std::filesystem;
namespace json = boost::json;

namespace
{
/// What the host finds only when it migrates: names, numbers, twins, text.
std::vector<std::string> migrationFaults(const fs::path& directory)
{
    std::vector<std::string> faults;
    for (const auto dialect : {Dialect::SQLite, Dialect::PostgreSQL}) try
        {
            if (data::readMigrations(directory, dialect).empty())
                faults.push_back(directory.string() + ": expected migrations, 0001_what_it_does.sql and so on, found none");
        }
        catch (const std::exception& error)
        {
            faults.emplace_back(error.what());
        }
    faults.erase(std::unique(faults.begin(), faults.end()), faults.end());
    return faults;
}
} // namespace

plugins::TrustedKeys trustedKeys(const Arguments& arguments)
{
    const auto named = arguments.option("trusted-keys");
    if (named && !fs::is_directory(*named)) throw UsageError("There is no folder " + *named + " (--trusted-keys).");
    return plugins::TrustedKeys::read(named ? fs::path(*named) : config::InstallLayout::ofThisProgram().trustedKeys());
}

std::vector<fs::path> pluginFolders(const std::vector<std::string>& words)
{
    std::vector<fs::path> folders;
    for (const auto& word : words)
    {
        if (!fs::is_directory(word)) throw UsageError("There is no folder " + word + ".");
        folders.push_back(fs::canonical(word));
    }
    return folders;
}

std::vector<fs::path> installedPlugins()
{
    std::vector<fs::path> folders;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(config::InstallLayout::ofThisProgram().pluginsDirectory(), none))
        if (fs::exists(entry.path() / "manifest.json")) folders.push_back(entry.path());
    std::ranges::sort(folders);
    return folders;
}

FolderCheck checkPlugin(const plugins::ManifestReader& reader, const fs::path& folder, const plugins::TrustedKeys& keys)
{
    auto check = checkFolder(reader, folder, keys, config::InstallLayout::ofThisProgram().isBuiltIn(folder.filename().string(), folder));
    if (!check.builtIn && check.manifest && config::InstallLayout::isOwnId(check.manifest->serviceId))
        check.warnings.push_back(check.manifest->serviceId +
                                 " is a service of the host: a plugin of that id is loaded only if plugins.override names it");
    if (check.steps.back().name == "migrations")
        std::ranges::move(migrationFaults(*check.manifest->migrations), std::back_inserter(check.steps.back().faults));
    return check;
}

json::object checkJson(const FolderCheck& check)
{
    json::array steps;
    for (const auto& step : check.steps)
        steps.push_back(
            {{"name", step.name}, {"ok", step.faults.empty()}, {"faults", json::array(step.faults.begin(), step.faults.end())}});
    json::object answer{{"folder", check.folder.string()}, {"ok", check.ok()}, {"service", nullptr}, {"version", nullptr}};
    if (check.manifest) answer["service"] = check.manifest->serviceId;
    if (check.manifest) answer["version"] = check.manifest->version;
    answer["sha256"] = check.sha256.empty() ? json::value() : json::value(check.sha256);
    answer["builtIn"] = check.builtIn;
    answer["signed"] = check.isSigned;
    answer["key"] = check.key.empty() ? json::value() : json::value(check.key);
    answer["checks"] = std::move(steps);
    answer["warnings"] = json::array(check.warnings.begin(), check.warnings.end());
    return answer;
}

} // namespace portico::host::ctl
