#include "host/plugins/lifecycle/GenerationStore.h"

#include "host/plugins/lifecycle/DependencyAway.h"
#include "host/plugins/package/FileHash.h"

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
} // namespace

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept
    : _folder(std::exchange(other._folder, {})), _files(std::move(other._files)), _kept(other._kept)
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

void GenerationStore::copyFiles(const fs::path& plugin, PrivateCopy& copy)
{
    std::string_view made;
    const auto paths = filesBelow(plugin);
    for (const std::string_view path : paths)
    {
        const auto parent = path.substr(0, path.rfind('/') + 1); // nothing where there is no slash: npos + 1 is 0
        if (parent != made) fs::create_directories(copy.folder() / parent);
        made = parent;
        auto hash = copyHashed(plugin / path, copy.folder() / path);
        if (path != sumsName && path != signatureName) copy._files.files.emplace(path, std::move(hash));
    }
}

PrivateCopy GenerationStore::copy(const fs::path& plugin, const std::string& serviceId, std::uint64_t number) const
{
    PrivateCopy copy(_root / serviceId / std::to_string(number));
    try
    {
        makePrivateFolder(copy.folder().parent_path());
        // What an operation that failed half-way left would look like files of the plugin.
        fs::remove_all(copy.folder());
        makePrivateFolder(copy.folder());
        copyFiles(plugin, copy);
    }
    catch (const std::system_error& error)
    {
        const auto text = "cannot copy " + plugin.string() + " to " + copy.folder().string() + ": " + error.what() +
                          ": check the rights and the free space of both folders";
        if (auto away = whatIsAway(error); !away.empty()) throw DependencyAway(std::move(away), text);
        throw std::runtime_error(text);
    }
    return copy;
}

} // namespace portico::host::plugins
