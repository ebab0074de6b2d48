#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace portico::host::plugins
{

/// The private copy of a library that one generation is loaded from. Its folder goes with it, unless it was told to stay.
class PrivateCopy
{
public:
    PrivateCopy(std::filesystem::path folder, std::filesystem::path library) noexcept;
    PrivateCopy(PrivateCopy&& other) noexcept;
    PrivateCopy& operator=(PrivateCopy&&) = delete;
    ~PrivateCopy();

    const std::filesystem::path& library() const noexcept { return _library; }
    /// Leaves the file for debuggers and sanitizers: its code stays mapped. The next start of the host removes it.
    void keep() noexcept { _folder.clear(); }

private:
    std::filesystem::path _folder;
    std::filesystem::path _library;
};

/// The folder of private copies, `<state>/generations/<service>/<number>/`, open to the host's user only. A library is never loaded from
/// where it is installed: an upgrade may overwrite it in place, and the dynamic linker takes a file of a known name or inode for the one
/// that it has.
class GenerationStore
{
public:
    /// Makes the folder, and removes what an earlier run left. @throws std::system_error
    explicit GenerationStore(const std::filesystem::path& stateDirectory);

    /// Copies a library to a fresh file. @throws std::runtime_error that names the file and the remedy.
    PrivateCopy copy(const std::filesystem::path& library, const std::string& serviceId, std::uint64_t number) const;

private:
    std::filesystem::path _root;
};

} // namespace portico::host::plugins
