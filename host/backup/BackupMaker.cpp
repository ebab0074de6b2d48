#include "host/backup/BackupMaker.h"

#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Files.h"
#include "host/backup/StagingFolder.h"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace portico::host::backup
{

namespace
{

std::string nowText()
{
    const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    char text[40];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

class Maker
{
public:
    Maker(const Plan& plan, const std::filesystem::path& place, const std::function<void(const Progress&)>& progress)
        : _plan(plan),
          _manifest(plan.manifest),
          _target(place, _manifest.createdAt = nowText()),
          _throttle(plan.bytesPerSecond,
                    [this, &progress](std::uint64_t done)
                    {
                        _progress.doneBytes = done;
                        progress(_progress);
                    })
    {
    }

    MadeBackup make(const std::function<void()>& confirm)
    {
        copyDatabases();
        for (const auto& tree : _plan.trees) copyTree(tree);
        for (const auto& source : _plan.files) copyOne(source.from, source.to);
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
        // What is removed meanwhile moves from the one to the other, never back: so nothing is missed.
        for (const auto* folder : {&tree.live, &tree.held})
            forEachFile(
                *folder,
                [&](const std::filesystem::path& relative)
                {
                    const auto to = tree.to / relative;
                    if (!std::filesystem::exists(_target.folder() / to)) copyOne(*folder / relative, to);
                },
                _plan.reader);
    }

    void copyOne(const std::filesystem::path& from, const std::filesystem::path& to)
    {
        if (to.string().find('\n') != std::string::npos) throw Refused("io_failed", "The name of " + from.string() + " has a line break.");
        const auto copy = placeOf(to);
        makeFolders(copy.parent_path());
        if (const auto sum = copyFile(from, copy, _throttle, {_plan.reader, {}})) add(to, *sum);
    }

    /// The names are the daemon's word, and it may be root who writes.
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
