#include "host/plugins/GenerationStore.h"

#include "host/plugins/FileList.h"

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

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept : _folder(std::exchange(other._folder, {})), _kept(other._kept) {}

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

PrivateCopy GenerationStore::copy(const fs::path& plugin, const std::string& serviceId, std::uint64_t number) const
{
    PrivateCopy copy(_root / serviceId / std::to_string(number));
    try
    {
        makePrivateFolder(copy.folder().parent_path());
        // What an operation that failed half-way left would look like files of the plugin.
        fs::remove_all(copy.folder());
        makePrivateFolder(copy.folder());
        for (const auto& path : filesBelow(plugin))
        {
            fs::create_directories((copy.folder() / path).parent_path());
            fs::copy_file(plugin / path, copy.folder() / path);
        }
    }
    catch (const fs::filesystem_error& error)
    {
        throw std::runtime_error("cannot copy " + (error.path1().empty() ? plugin : error.path1()).string() + " to " +
                                 copy.folder().string() + ": " + error.code().message() +
                                 ": check the rights and the free space of both folders");
    }
    return copy;
}

} // namespace portico::host::plugins
