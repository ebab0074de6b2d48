#include "host/plugins/GenerationStore.h"

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

PrivateCopy::PrivateCopy(fs::path folder, fs::path library) noexcept : _folder(std::move(folder)), _library(std::move(library)) {}

PrivateCopy::PrivateCopy(PrivateCopy&& other) noexcept : _folder(std::exchange(other._folder, {})), _library(std::move(other._library)) {}

PrivateCopy::~PrivateCopy()
{
    std::error_code ignored;
    if (!_folder.empty()) fs::remove_all(_folder, ignored);
}

GenerationStore::GenerationStore(const fs::path& stateDirectory) : _root(stateDirectory / "generations")
{
    fs::remove_all(_root);
    makePrivateFolder(_root);
}

PrivateCopy GenerationStore::copy(const fs::path& library, const std::string& serviceId, std::uint64_t number) const
{
    const auto folder = _root / serviceId / std::to_string(number);
    PrivateCopy copy(folder, folder / library.filename());
    try
    {
        makePrivateFolder(folder.parent_path());
        makePrivateFolder(folder);
        if (!fs::is_regular_file(library))
            throw std::runtime_error("expected a library at " + library.string() + ", found none: install the plugin again");
        fs::copy_file(library, copy.library());
    }
    catch (const fs::filesystem_error& error)
    {
        throw std::runtime_error("cannot copy " + library.string() + " to " + folder.string() + ": " + error.code().message() +
                                 ": check the rights and the free space of both folders");
    }
    return copy;
}

} // namespace portico::host::plugins
