#include "host/backup/BackupMaker.h"

#include "host/backup/DatabaseSnapshot.h"
#include "host/base/FileDescriptor.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace portico::host::backup
{

namespace
{

constexpr std::string_view unfinishedSuffix = ".portico-unfinished";

bool isUnfinished(const std::filesystem::path& path)
{
    const auto name = path.filename().string();
    return name.starts_with('.') && name.ends_with(unfinishedSuffix);
}

/// Locked by this process, or empty if another has it.
FileDescriptor lockFolder(const std::filesystem::path& folder)
{
    FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    return {};
}

/// Removes the leftovers of killed backups.
void removeLeftovers(const std::filesystem::path& parent)
{
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
        if (isUnfinished(entry.path()) && lockFolder(entry.path())) std::filesystem::remove_all(entry.path(), ignored);
}

/// Returns true for the folder of a backup. Files inside one must not be added, since its list names each file.
bool isBackup(const std::filesystem::path& folder)
{
    std::error_code ignored;
    return std::filesystem::exists(folder / "manifest.json", ignored) && std::filesystem::exists(folder / "files.sha256", ignored);
}

/// Not where the daemon has its own: the next backup would hold this one, or the daemon take it for a service's files. @throws Refused
void requireOutside(const std::filesystem::path& state, const std::filesystem::path& wanted)
{
    std::error_code ignored;
    const auto inside =
        std::filesystem::weakly_canonical(wanted, ignored).lexically_relative(std::filesystem::weakly_canonical(state, ignored));
    if (inside.empty()) return;
    const auto first = *inside.begin();
    for (const char* own : {"blobs", "conf.d", "data", "secrets"})
        if (first == own)
            throw Refused("own_folder", "The daemon has " + (state / own).string() + " for itself. Name a folder outside of it.");
}

/// The folder that a backup is written into. Its name begins with a dot and ends with `.unfinished` until everything is on disk. The
/// destructor deletes it unless it was published.
class StagingFolder
{
public:
    /// @param place a folder, in which the backup gets the name `ownName`, or a name that is free; nowhere in what `state` keeps of the
    /// daemon. What earlier backups left unfinished there is removed. @throws Refused
    StagingFolder(const std::filesystem::path& place, const std::filesystem::path& state, const std::string& ownName)
    {
        auto wanted = std::filesystem::absolute(place).lexically_normal();
        if (!wanted.has_filename()) wanted = wanted.parent_path();
        requireOutside(state, wanted);
        if (isBackup(wanted))
            throw Refused("exists",
                          wanted.string() +
                              " is a backup, which another one in it would damage. Name a folder to put backups into, or a name that is "
                              "free.");
        struct stat status = {};
        _final = ::lstat(wanted.c_str(), &status) == 0 && std::filesystem::is_directory(wanted) ? wanted / ownName : wanted;
        if (::lstat(_final.c_str(), &status) == 0)
            throw Refused("exists", _final.string() + " is there already. Name a folder to put the backup into, or a name that is free.");
        const auto parent = _final.parent_path();
        if (!std::filesystem::is_directory(parent))
            throw Refused("no_folder", "There is no folder " + parent.string() + ". Make it first.");
        removeLeftovers(parent);
        _unfinished = parent / ("." + _final.filename().string() + std::string(unfinishedSuffix));
        if (::mkdir(_unfinished.c_str(), S_IRWXU) != 0)
        {
            if (errno == EEXIST) throw Refused("exists", _unfinished.string() + " is being written by another porticoctl backup.");
            throwErrno(errno, "make the folder", _unfinished);
        }
        _lock = lockFolder(_unfinished);
        if (!_lock) throw Refused("exists", _unfinished.string() + " is being written by another porticoctl backup.");
    }

    ~StagingFolder()
    {
        std::error_code ignored;
        if (!_published) std::filesystem::remove_all(_unfinished, ignored);
    }

    /// Where to write.
    const std::filesystem::path& folder() const noexcept { return _unfinished; }
    /// Where it will be.
    const std::filesystem::path& final() const noexcept { return _final; }

    /// Gives it its final name, once everything in it is on disk except the names of the last files. @throws Refused
    void publish()
    {
        syncFolder(_unfinished);
        // A backup of the same name that another process made in the meantime stays.
        struct stat status = {};
        if (::lstat(_final.c_str(), &status) == 0) throw Refused("exists", _final.string() + " was made by another process.");
        moveDurably(_unfinished, _final);
        _published = true;
    }

private:
    std::filesystem::path _final;
    std::filesystem::path _unfinished;
    /// Locked: it is being written.
    FileDescriptor _lock;
    bool _published = false;
};

class Maker
{
public:
    Maker(const Plan& plan, const std::filesystem::path& place, const std::function<void(const Progress&)>& progress)
        : _plan(plan),
          _manifest(plan.manifest),
          _target(place, plan.manifest.stateDirectory, utcText(_begun, "portico-%Y%m%dT%H%M%SZ")),
          _throttle(plan.bytesPerSecond,
                    [this, &progress](std::uint64_t done)
                    {
                        _progress.doneBytes = done;
                        progress(_progress);
                    })
    {
        _manifest.createdAt = utcText(_begun, "%Y-%m-%dT%H:%M:%SZ");
    }

    MadeBackup make(const std::function<void()>& confirm)
    {
        copyDatabases();
        for (const auto& tree : _plan.trees) copyTree(tree);
        for (const auto& source : _plan.files)
            if (!copyOne(source.from, source.to) && !source.optional)
                throw Refused("lost", source.from.string() + " was removed before it was copied. Make the backup again.");
        writeFile(_target.folder() / fileListName, _list);
        _manifest.listSha256 = sumOf(_target.folder() / fileListName, _throttle)->sha256;
        // All but the manifest, which must not be there before the rest is.
        syncFileSystem(_target.folder());
        writeFile(_target.folder() / manifestName, toJson(_manifest));
        confirm();
        _target.publish();
        return {_target.final(), _manifest};
    }

private:
    void copyDatabases()
    {
        // All at one moment, so that they agree with each other; the smallest is let go of first.
        std::vector<std::pair<std::string, DatabaseSnapshot>> snapshots;
        {
            const ScopedUser acting(_plan.reader);
            for (const auto& [name, file] : _plan.databases) snapshots.emplace_back(name, DatabaseSnapshot(file));
        }
        if (_plan.dump) dumpDatabase();
        std::sort(snapshots.begin(), snapshots.end(), [](auto& left, auto& right) { return left.second.bytes() > right.second.bytes(); });
        for (; !snapshots.empty(); snapshots.pop_back())
        {
            auto& [name, snapshot] = snapshots.back();
            _progress.what = "database " + name;
            const auto to = std::filesystem::path("data") / (name + ".db");
            const auto copy = placeOf(to);
            makeFolders(copy.parent_path());
            snapshot.copyTo(copy, _throttle);
            _manifest.databases.push_back({name, snapshot.migrations()});
            addExisting(to);
        }
    }

    void dumpDatabase()
    {
        _progress.what = "database";
        const auto to = std::filesystem::path("data") / "postgresql.sql";
        makeFolders(_target.folder() / "data");
        _plan.dump(_target.folder() / to);
        addExisting(to);
    }

    void copyTree(const Plan::Tree& tree)
    {
        _progress.what = "files " + tree.to.string();
        std::vector<std::filesystem::path> gone;
        // A blob that is removed during the copy moves from the first folder to the second, never back: so none is missed.
        for (const auto* folder : {&tree.live, &tree.held})
            forEachFile(
                *folder,
                [&](const std::filesystem::path& relative)
                {
                    const auto to = tree.to / relative;
                    if (!std::filesystem::exists(_target.folder() / to) && !copyOne(*folder / relative, to)) gone.push_back(relative);
                },
                _plan.reader);
        for (const auto& relative : gone)
            if (!std::filesystem::exists(_target.folder() / tree.to / relative))
                throw Refused("lost", (tree.live / relative).string() +
                                          " was removed before it was copied. Make the backup again. If this happens again, check that "
                                          "the file system of the blobs supports locks (flock) on all hosts.");
    }

    /// Returns false if there is no such file.
    bool copyOne(const std::filesystem::path& from, const std::filesystem::path& to)
    {
        if (to.string().find('\n') != std::string::npos) throw Refused("io_failed", "The name of " + from.string() + " has a line break.");
        const auto copy = placeOf(to);
        makeFolders(copy.parent_path());
        const auto sum = copyFile(from, copy, _throttle, {_plan.reader, {}});
        if (sum) add(to, *sum);
        return sum.has_value();
    }

    /// Validates a name from the daemon, since the writing process may be root.
    std::filesystem::path placeOf(const std::filesystem::path& to) const
    {
        if (!staysInside(to))
            throw Refused("leaves_backup", "The daemon has named a place outside of the backup: " + to.string() +
                                               ". Nothing was written there: check what runs in it.");
        return _target.folder() / to;
    }

    void addExisting(const std::filesystem::path& to) { add(to, *sumOf(_target.folder() / to, _throttle)); }

    void add(const std::filesystem::path& to, const FileSum& sum)
    {
        _list.append(sum.sha256).append("  ").append(to.string()).append("\n");
        _manifest.bytes += sum.bytes;
        _progress.files = ++_manifest.fileCount;
    }

    const Plan& _plan;
    const std::time_t _begun = std::time(nullptr);
    Manifest _manifest;
    StagingFolder _target;
    Progress _progress;
    Throttle _throttle;
    std::string _list;
};

} // namespace

MadeBackup makeBackup(const Plan& plan, const std::filesystem::path& place, const std::function<void(const Progress&)>& progress,
                      const std::function<void()>& confirm)
{
    return Maker(plan, place, progress).make(confirm);
}

} // namespace portico::host::backup
