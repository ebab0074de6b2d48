#pragma once

#include "host/plugins/package/FileList.h"
#include "host/plugins/package/FileStamp.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

namespace portico::host::plugins
{

/// A file that was found to be the same in a private copy as where it was copied from.
struct KnownFile
{
    FileStamp source;
    FileStamp copy;
    std::string sha256;
};
using KnownFiles = std::map<std::string, KnownFile, std::less<>>;

/// The private copy of a plugin's folder that one generation is verified, migrated and loaded from. The destructor deletes it unless `keep`
/// was called.
class PrivateCopy
{
public:
    explicit PrivateCopy(std::filesystem::path folder) noexcept : _folder(std::move(folder)) {}
    PrivateCopy(PrivateCopy&& other) noexcept;
    PrivateCopy& operator=(PrivateCopy&&) = delete;
    ~PrivateCopy();

    const std::filesystem::path& folder() const noexcept { return _folder; }
    /// The files of the copy. Hashes are computed by reading the copy after it was written.
    const FileList& files() const noexcept { return _files; }
    /// Leaves the files for debuggers and sanitizers: their code stays mapped. The next start of the host removes them.
    void keep() noexcept { _kept = true; }

private:
    friend class GenerationStore;

    std::filesystem::path _folder;
    FileList _files;
    KnownFiles _known;
    bool _kept = false;
};

/// The folder of private copies, `<state>/generations/<service>/<number>/`, accessible to the host's user only. A plugin is never loaded
/// from its installed folder: an upgrade may overwrite it, its files may change between two reads, and the dynamic linker reuses a loaded
/// library of the same name or inode. Used by the lifecycle thread.
class GenerationStore
{
public:
    /// Makes the folder, and removes what an earlier run left. @throws std::system_error
    explicit GenerationStore(const std::filesystem::path& stateDirectory);

    /// Copies all files of a plugin's folder. Those of the service's spare copy that are the same now are not written again; where neither
    /// the file nor its copy was touched since both were read, they are not read again either.
    /// @throws std::runtime_error that names the file and the remedy; DependencyUnavailable where only room on the disk is missing.
    PrivateCopy copy(const std::filesystem::path& plugin, const std::string& serviceId, std::uint64_t number);
    /// Keeps an unmapped copy as the spare one of its service: most reloads change few files, and writing megabytes of new ones takes
    /// longer than all other steps.
    void putBack(PrivateCopy copy);
    /// Called for a stopped service, so that the next start has the disk space.
    void removeSpare(const std::string& serviceId);

private:
    static void copyFiles(const std::filesystem::path& plugin, const KnownFiles& ofSpare, PrivateCopy& copy);

    std::filesystem::path _root;
    /// Files of the spare copies, by folder.
    std::map<std::filesystem::path, KnownFiles> _known;
};

/// Records on disk which version of each plugin served last, so that a downgrade is reported: a signature proves the author of a plugin,
/// and not that it is the newest. Used by the lifecycle thread.
///
/// Not synced: a lost record only omits one report.
class ServedVersions
{
public:
    /// @throws std::system_error
    explicit ServedVersions(const std::filesystem::path& stateDirectory);

    /// This version serves now. Returns what is to be said if that is a lower one than before, else nothing.
    std::string note(const std::string& serviceId, const std::string& version);

private:
    std::filesystem::path _folder;
    std::map<std::string, std::string, std::less<>> _versions;
};

} // namespace portico::host::plugins
