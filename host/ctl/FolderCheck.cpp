#include "host/ctl/FolderCheck.h"

#include "host/plugins/binary/FileCheck.h"
#include "host/plugins/trust/FolderSignature.h"

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
    check.isSigned = proof.signedBySomebody;
    if (!proof.signedBySomebody && !check.builtIn)
        check.warnings.emplace_back("it is not signed: a host that it did not come with loads it only if plugins.allowUnsigned names it");
    if (!proof.faults.empty()) std::ranges::copy(keys.faults, std::back_inserter(proof.faults));
    check.steps.push_back({"signature", std::move(proof.faults)});
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
    check.steps.push_back({"library", faultsOf([&] { check.sha256 = checkLibrary(manifest, folder / manifest.library).sha256; })});
    if (manifest.migrations) check.steps.push_back({"migrations", faultsOf([&] { checkMigrationHash(manifest, manifest); })});
    return check;
}

} // namespace portico::host::ctl
