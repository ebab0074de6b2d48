#include "host/plugins/lifecycle/GenerationStore.h"

#include "host/plugins/lifecycle/DependencyUnavailable.h"
#include "host/plugins/package/FileList.h"
#include "host/plugins/package/Version.h"

#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace portico::host::plugins
{

namespace fs = std::filesystem;

namespace
{
void makePrivateFolder(const fs::path& folder)
{
    fs::create_directories(folder);
    fs::permissions(folder, fs::perms::owner_all);
}

/// Beside the copies of a service, which have numbers.
constexpr std::string_view spareName = "spare";

fs::path spareBeside(const fs::path& copy) { return copy.parent_path() / spareName; }

/// Renames the spare copy to this one. Returns false if there is none, or if the plugin added files to it.
bool takeSpare(const fs::path& copy, const std::vector<std::string>& paths)
try
{
    const auto spare = spareBeside(copy);
    if (!fs::exists(spare)) return false;
    if (filesBelow(spare) == paths)
        fs::rename(spare, copy);
    else
        fs::remove_all(spare);
    return fs::exists(copy);
}
catch (const std::runtime_error&)
{
    fs::remove_all(spareBeside(copy));
    return false;
}

/// Copies a file unless its copy is the same, and returns the hash of the copy.
KnownFile bring(const fs::path& from, const fs::path& to, bool isThere, const KnownFile* before)
{
    KnownFile file{.source = FileStamp::of(from), .copy = isThere ? FileStamp::of(to) : FileStamp(), .sha256 = {}};
    if (before && file.source.isOfSame(before->source) && file.copy.isOfSame(before->copy)) return *before;
    file.sha256 = (isThere ? copyChanged : copyHashed)(from, to);
    return file;
}

/// Returns true if neither file changed since it was read, nor shortly before.
bool isKnown(const KnownFile& file, const fs::path& from, const fs::path& to)
{
    return file.source.tellsChanges() && file.copy.tellsChanges() && file.source.isOfSame(FileStamp::of(from)) &&
           file.copy.isOfSame(FileStamp::of(to));
}
} // namespace

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : _folder(std::exchange(other._folder, {})), _files(std::move(other._files)), _known(std::move(other._known)), _kept(other._kept)
{
}

PrivateCopy::~PrivateCopy()
{
    std::error_code ignored;
    if (!_kept && !_folder.empty()) fs::remove_all(_folder, ignored);
}

GenerationStore::GenerationStore(const fs::path& stateDirectory) : _root(stateDirectory / "generations")
{
    fs::remove_all(_root);
    makePrivateFolder(_root);
}

void GenerationStore::copyFiles(const fs::path& plugin, const KnownFiles& ofSpare, PrivateCopy& copy)
{
    std::string_view made;
    const auto paths = filesBelow(plugin);
    const bool spare = takeSpare(copy.folder(), paths);
    if (!spare) makePrivateFolder(copy.folder());
    for (const auto& path : paths)
    {
        const auto parent = std::string_view(path).substr(0, path.rfind('/') + 1); // nothing where there is no slash: npos + 1 is 0
        if (parent != made && !spare) fs::create_directories(copy.folder() / parent);
        made = parent;
        const auto before = ofSpare.find(path);
        auto file = bring(plugin / path, copy.folder() / path, spare, spare && before != ofSpare.end() ? &before->second : nullptr);
        if (path != sumsName && path != signatureName) copy._files.files.emplace(path, file.sha256);
        if (isKnown(file, plugin / path, copy.folder() / path)) copy._known.emplace(path, std::move(file));
    }
}

PrivateCopy GenerationStore::copy(const fs::path& plugin, const std::string& serviceId, std::uint64_t number)
{
    PrivateCopy copy(_root / serviceId / std::to_string(number));
    try
    {
        makePrivateFolder(copy.folder().parent_path());
        // Leftovers of an interrupted operation would look like files of the plugin.
        fs::remove_all(copy.folder());
        copyFiles(plugin, std::exchange(_known[spareBeside(copy.folder())], {}), copy);
    }
    catch (const std::system_error& error)
    {
        const auto text = "cannot copy " + plugin.string() + " to " + copy.folder().string() + ": " + error.what() +
                          ": check the rights and the free space of both folders";
        if (auto away = unavailableDependency(error); !away.empty()) throw DependencyUnavailable(std::move(away), text);
        throw std::runtime_error(text);
    }
    return copy;
}

void GenerationStore::putBack(PrivateCopy copy)
{
    std::error_code ignored;
    const auto spare = spareBeside(copy.folder());
    fs::remove_all(spare, ignored);
    fs::rename(copy.folder(), spare, ignored);
    _known[spare] = std::move(copy._known);
}

void GenerationStore::removeSpare(const std::string& serviceId)
{
    std::error_code ignored;
    fs::remove_all(_root / serviceId / spareName, ignored);
    _known.erase(_root / serviceId / spareName);
}

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
        text = "version " + version + " is lower than " + last +
               ", which served before: if this downgrade was not intended, find out who installed it (a signature does not prove that it "
               "is the newest)";
    last = version;
    std::ofstream(_folder / serviceId) << version << '\n';
    std::error_code ignored;
    fs::permissions(_folder / serviceId, fs::perms::owner_read | fs::perms::owner_write, ignored);
    return text;
}

} // namespace portico::host::plugins
