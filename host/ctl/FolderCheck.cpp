#include "host/ctl/FolderCheck.h"

#include "host/config/InstallLayout.h"
#include "host/data/migrations/MigrationFiles.h"
#include "host/plugins/binary/BinaryCheck.h"
#include "host/plugins/binary/HelperCheck.h"
#include "host/plugins/package/PageCheck.h"
#include "host/plugins/trust/FolderSignature.h"

#include <boost/json.hpp>

#include <algorithm>

namespace portico::host::ctl
{

namespace fs = std::filesystem;
using namespace plugins;

namespace
{
/// Runs what throws its faults as one text.
std::vector<std::string> faultsOf(const auto& work)
{
    try
    {
        work();
        return {};
    }
    catch (const std::exception& error)
    {
        return {error.what()};
    }
}

std::vector<std::string> checkFiles(const Manifest& manifest)
{
    return faultsOf(
        [&]
        {
            const auto files = filesBelow(manifest.directory());
            if (!std::ranges::binary_search(files, manifest.library))
                throw std::runtime_error((manifest.directory() / manifest.library).string() +
                                         ": expected the library of the manifest (plugin.library), found none: build the plugin");
            if (manifest.migrations && !fs::is_directory(*manifest.migrations))
                throw std::runtime_error(manifest.migrations->string() +
                                         ": expected the migrations of the manifest (plugin.migrations.dir), found no such folder");
        });
}

void checkSignature(FolderCheck& check, const TrustedKeys& keys)
{
    auto proof = readFolderSignature(check.folder, check.folder, keys);
    check.key = proof.key;
    check.isSigned = proof.signedByKey;
    if (!proof.signedByKey && !check.builtIn)
        check.warnings.emplace_back("it is not signed: a host that it did not come with loads it only if plugins.allowUnsigned names it");
    if (!proof.faults.empty()) std::ranges::copy(keys.faults, std::back_inserter(proof.faults));
    check.steps.push_back({"signature", std::move(proof.faults)});
}

/// Finds faults that the host finds only when it migrates: names, numbers, duplicates, text.
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

bool FolderCheck::ok() const
{
    return std::ranges::all_of(steps, [](const auto& step) { return step.faults.empty(); });
}

FolderCheck checkFolder(const ManifestReader& reader, const fs::path& folder, const TrustedKeys& keys, bool builtIn)
{
    FolderCheck check;
    check.folder = folder;
    check.builtIn = builtIn;
    auto read = reader.read(folder / "manifest.json");
    check.manifest = read.manifest;
    check.steps.push_back({"manifest", std::move(read.errors)});
    checkSignature(check, keys);
    if (!check.manifest) return check;
    const auto& manifest = *check.manifest;
    if (fs::absolute(folder / "manifest.json").parent_path().filename() != manifest.serviceId)
        check.warnings.push_back("the folder must have the name of the service, " + manifest.serviceId + ", where it is installed");
    check.steps.push_back({"files", checkFiles(manifest)});
    if (!check.steps.back().faults.empty()) return check;
    if (manifest.web)
    {
        check.steps.push_back({"pages", pageFaults(manifest)});
        if (!hasPages(manifest))
            check.warnings.push_back(
                "its pages (web.root) are not there: it was built without them, and its addresses for browsers say so");
    }
    check.steps.push_back({"library", faultsOf([&] { check.sha256 = checkLibrary(manifest, folder / manifest.library).sha256; })});
    if (!manifest.helpers.empty()) check.steps.push_back({"helpers", faultsOf([&] { checkHelpers(manifest, manifest); })});
    if (manifest.migrations) check.steps.push_back({"migrations", faultsOf([&] { checkMigrationHash(manifest, manifest); })});
    return check;
}

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
        steps.push_back({{"name", step.name}, {"ok", step.faults.empty()}, {"faults", json::value_from(step.faults)}});
    json::object answer{{"folder", check.folder.string()}, {"ok", check.ok()}, {"service", nullptr}, {"version", nullptr}};
    if (check.manifest) answer["service"] = check.manifest->serviceId;
    if (check.manifest) answer["version"] = check.manifest->version;
    answer["sha256"] = check.sha256.empty() ? json::value() : json::value(check.sha256);
    answer["builtIn"] = check.builtIn;
    answer["signed"] = check.isSigned;
    answer["key"] = check.key.empty() ? json::value() : json::value(check.key);
    answer["checks"] = std::move(steps);
    answer["warnings"] = json::value_from(check.warnings);
    return answer;
}

} // namespace portico::host::ctl
