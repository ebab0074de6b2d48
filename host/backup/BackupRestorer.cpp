#include "host/backup/BackupRestorer.h"

#include "host/backup/Files.h"
#include "host/base/FileDescriptor.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace portico::host::backup
{

namespace json = boost::json;

namespace
{

constexpr std::string_view stagingName = "restoring";
constexpr std::array<std::string_view, 4> parts{"data", "blobs", "secrets", "conf.d"};

/// One rename of a restore: live data is moved aside, and prepared data replaces it.
struct Swap
{
    std::filesystem::path ready;
    std::filesystem::path live;
    std::filesystem::path aside;
    /// There was something live when the restore began: what is live afterwards may be what was restored.
    bool replaces = false;
};

/// The state directory, locked as a daemon locks it; made if it is not there. @throws Refused `running` while a daemon has it
FileDescriptor lockState(const std::filesystem::path& stateDirectory)
{
    makeFolders(stateDirectory);
    const auto file = stateDirectory / "porticod.lock";
    FileDescriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR));
    if (!lock) throwErrno(errno, "open", file);
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    std::array<char, 32> pid{};
    const auto length = ::pread(lock.get(), pid.data(), pid.size() - 1, 0);
    throw Refused("running", "The state directory " + stateDirectory.string() + " is in use by porticod" +
                                 (length > 0 ? " (pid " + std::string(pid.data(), std::strcspn(pid.data(), "\n")) + ")" : "") +
                                 ". Stop it first: systemctl stop portico, or porticoctl stop.");
}

/// Links are not followed; 0 where there is nothing.
mode_t modeOf(const std::filesystem::path& path)
{
    struct stat status = {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode : 0;
}

bool isThere(const std::filesystem::path& path) { return modeOf(path) != 0; }

bool isEmpty(const std::filesystem::path& path)
{
    std::error_code error;
    return !isThere(path) || (std::filesystem::is_directory(path) && std::filesystem::is_empty(path, error));
}

/// Returns an unused name: a second restore within a second gets a number.
std::filesystem::path freeName(const std::filesystem::path& wanted)
{
    auto name = wanted;
    for (int i = 2; isThere(name); ++i) name = wanted.string() + "-" + std::to_string(i);
    return name;
}

/// A rename moves folders only within one file system, and not those that something is mounted on.
void requireMovable(const std::filesystem::path& live)
{
    struct stat status = {};
    struct stat parent = {};
    if (::lstat(live.c_str(), &status) != 0) return;
    if (!S_ISDIR(status.st_mode))
        throw Refused("not_a_folder", live.string() + " is not a folder. A restore replaces folders only: put a folder in its place.");
    if (::stat(live.parent_path().c_str(), &parent) == 0 && parent.st_dev != status.st_dev)
        throw Refused("mounted", "Something is mounted on " + live.string() +
                                     ". A restore replaces folders by renaming them: unmount it, restore, and move the files there.");
}

/// Requires a folder of databases only: a backup or an option names it, and it is moved aside as a whole.
void requireDatabasesOnly(const std::filesystem::path& folder)
{
    if (!isThere(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        const auto name = entry.path().filename().string();
        const auto end = name.find(".db");
        const bool database = end != std::string::npos && (end + 3 == name.size() || name[end + 3] == '-');
        if (!database || !S_ISREG(modeOf(entry.path())))
            throw Refused("not_databases",
                          entry.path().string() +
                              " is no SQLite database, and a restore replaces the whole folder of the databases. Name another "
                              "folder with --databases, or take out what does not belong there.");
    }
}

std::string toText(const std::vector<Swap>& swaps, const Restored& restored)
{
    json::array all;
    for (const auto& swap : swaps)
        all.push_back(
            {{"ready", swap.ready.string()}, {"live", swap.live.string()}, {"aside", swap.aside.string()}, {"replaces", swap.replaces}});
    return json::serialize(json::object{{"aside", restored.aside.string()},
                                        {"schemas", json::value_from(restored.asideSchemas)},
                                        {"list", restored.manifest.listSha256},
                                        {"swaps", std::move(all)}}) +
           "\n";
}

/// The content of a pending file.
struct Pending
{
    std::string listSha256;
    std::filesystem::path aside;
    std::vector<std::string> asideSchemas;
    std::vector<Swap> swaps;
};

/// The reverse of `toText`. @throws Refused `damaged`
Pending parsePending(const std::filesystem::path& file, const std::string& text)
try
{
    const auto object = json::parse(text).as_object();
    Pending pending;
    pending.listSha256 = json::value_to<std::string>(object.at("list"));
    pending.aside = json::value_to<std::string>(object.at("aside"));
    // Absent in files of earlier versions.
    if (const auto* schemas = object.if_contains("schemas")) pending.asideSchemas = json::value_to<std::vector<std::string>>(*schemas);
    for (const auto& item : object.at("swaps").as_array())
        pending.swaps.push_back({json::value_to<std::string>(item.at("ready")), json::value_to<std::string>(item.at("live")),
                                 json::value_to<std::string>(item.at("aside")), item.at("replaces").as_bool()});
    return pending;
}
catch (const std::exception& fault)
{
    throw Refused("damaged", file.string() + " is damaged: " + fault.what() +
                                 ". It lists what a restore that was cut off has left to do. Remove it, and restore again with --force.");
}

/// Returns the destination of a file of the backup; empty for files that are for reading only.
std::filesystem::path staged(const std::filesystem::path& staging, const std::filesystem::path& dataStaging,
                             const std::filesystem::path& listed)
{
    const auto part = *listed.begin();
    if (std::none_of(parts.begin(), parts.end(), [&](std::string_view each) { return part == each; })) return {};
    const auto rest = listed.lexically_relative(part);
    if (part == "data") return listed.extension() == ".db" ? dataStaging / rest : std::filesystem::path();
    if (part != "blobs") return staging / listed;
    // blobs/<service>/… is kept in the data folder of the service.
    const auto service = *rest.begin();
    return staging / "blobs" / service / "data" / rest.lexically_relative(service);
}

/// Returns the owner of the state. The restore writes with this user's rights, so that the files belong to the user, and no link of the
/// user redirects root.
User ownerOf(const std::filesystem::path& state)
{
    struct stat status = {};
    if (::stat(state.c_str(), &status) != 0) throwErrno(errno, "read", state);
    auto owner = User::of(status.st_uid, status.st_gid);
    const ScopedUser acting(owner);
    if (::faccessat(AT_FDCWD, state.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
        throwErrno(errno, "write as user " + std::to_string(owner.id) + ", whose it is, to", state);
    return owner;
}

class Restorer
{
public:
    explicit Restorer(const RestorePlan& plan)
        : _plan(plan),
          _state(std::filesystem::absolute(plan.stateDirectory).lexically_normal()),
          _dataLive(plan.databaseDirectory.empty() ? _state / "data"
                                                   : std::filesystem::absolute(plan.databaseDirectory).lexically_normal()),
          _staging(_state / stagingName),
          _dataStaging(plan.databaseDirectory.empty() ? _staging / "data" : std::filesystem::path(_dataLive.string() + ".restoring")),
          _nextPending(_state / (std::string(pendingName) + ".new"))
    {
    }

    Restored restore(const std::function<void(std::uint64_t)>& progress)
    {
        const auto lock = lockState(_state);
        _owner = ownerOf(_state);
        if (::geteuid() == 0 && ::fchown(lock.get(), _owner.id, _owner.group) != 0)
            throwErrno(errno, "change the owner of", _state / "porticod.lock");
        Restored restored;
        restored.manifest = readManifest(_plan.backup);
        if (isThere(_state / pendingName)) return finish(std::move(restored));
        const auto load = _plan.prepareLoad ? _plan.prepareLoad() : Load();
        restored.asideSchemas = load.asideSchemas;
        requireRoomForIt();
        discardStaging();
        const auto stamp = utcText(std::time(nullptr), "%Y%m%dT%H%M%SZ");
        const auto aside = freeName(_state / ("before-restore-" + stamp));
        const auto swaps = planSwaps(aside, stamp);
        if (std::any_of(swaps.begin(), swaps.end(), [](const Swap& swap) { return swap.replaces; })) restored.aside = aside;
        try
        {
            copyAll(progress);
            if (!restored.aside.empty()) makeFor(aside);
            writeFile(_nextPending, toText(swaps, restored));
            // Last, so that a full disk is noticed before.
            if (load.run) load.run(_plan.backup / "data" / "postgresql.sql");
        }
        catch (...)
        {
            for (const auto& each : {_staging, _dataStaging, _nextPending}) tryToRemoveAll(each);
            const ScopedUser acting(rightsIn(_state));
            std::error_code ignored;
            std::filesystem::remove(aside, ignored);
            throw;
        }
        moveDurably(_nextPending, _state / pendingName);
        perform(swaps);
        return restored;
    }

private:
    /// The owner's, wherever he may write. Where he may not, nothing of his can lead root elsewhere.
    std::optional<User> rightsIn(const std::filesystem::path& folder) const
    {
        const ScopedUser acting(_owner);
        if (::faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0) return _owner;
        return std::nullopt;
    }

    /// A folder of the owner.
    void makeFor(const std::filesystem::path& folder) const
    {
        if (isThere(folder)) return;
        if (!isThere(folder.parent_path())) makeFor(folder.parent_path());
        const auto rights = rightsIn(folder.parent_path());
        const ScopedUser acting(rights);
        makeFolders(folder);
        if (!rights && ::geteuid() == 0 && ::lchown(folder.c_str(), _owner.id, _owner.group) != 0)
            throwErrno(errno, "change the owner of", folder);
    }

    std::error_code tryToRemoveAll(const std::filesystem::path& folder) const
    {
        const ScopedUser acting(rightsIn(folder.parent_path()));
        std::error_code error;
        std::filesystem::remove_all(folder, error);
        return error;
    }

    void removeAll(const std::filesystem::path& folder) const
    {
        if (const auto error = tryToRemoveAll(folder)) throwErrno(error.value(), "remove", folder);
    }

    /// Rejects a restore over existing data.
    void requireRoomForIt()
    {
        std::string found;
        for (const auto part : parts)
        {
            const auto live = part == "data" ? _dataLive : _state / part;
            requireMovable(live);
            if (part == "data" && !_plan.databaseDirectory.empty()) requireDatabasesOnly(live);
            if (!isEmpty(live)) found.append(found.empty() ? "" : ", ").append(live.string());
        }
        if (!found.empty() && !_plan.force)
            throw Refused("not_empty", "There is a state already: " + found + ". --force moves it aside, within " + _state.string() +
                                           ", and loses nothing.");
    }

    void discardStaging() const
    {
        removeAll(_staging);
        removeAll(_dataStaging);
        std::filesystem::remove(_nextPending);
    }

    void copyAll(const std::function<void(std::uint64_t)>& progress)
    {
        Throttle throttle(0, progress);
        makeFor(_staging);
        makeFor(_dataStaging);
        forEachListed(_plan.backup / fileListName,
                      [&](const ListedFile& file)
                      {
                          const auto to = staged(_staging, _dataStaging, file.path);
                          if (to.empty()) return;
                          makeFor(to.parent_path());
                          const auto sum = copyFile(_plan.backup / file.path, to, throttle, {{}, _owner});
                          if (!sum || sum->sha256 != file.sha256)
                              throw Refused("damaged",
                                            (_plan.backup / file.path).string() + " changed while it was read. Nothing was restored.");
                      });
        syncFileSystem(_staging);
        if (!_plan.databaseDirectory.empty()) syncFileSystem(_dataStaging);
    }

    /// Moves all live data aside, even where the backup has no replacement.
    std::vector<Swap> planSwaps(const std::filesystem::path& aside, const std::string& stamp) const
    {
        std::vector<Swap> swaps;
        for (const auto part : parts)
        {
            const bool elsewhere = part == "data" && !_plan.databaseDirectory.empty();
            const auto live = elsewhere ? _dataLive : _state / part;
            swaps.push_back({elsewhere ? _dataStaging : _staging / part, live,
                             elsewhere ? freeName(_dataLive.string() + ".before-restore-" + stamp) : aside / part, isThere(live)});
        }
        return swaps;
    }

    Restored finish(Restored restored)
    {
        const auto file = _state / pendingName;
        // The folder belongs to the daemon's user, who must not make root rename arbitrary files.
        const auto pending = parsePending(file, readFile(file, {}, Owner::Self));
        if (pending.listSha256 != restored.manifest.listSha256)
            throw Refused("pending", "The restore of another backup was cut off (" + file.string() + "). Restore that one first.");
        restored.aside = pending.aside;
        restored.asideSchemas = pending.asideSchemas;
        restored.continued = true;
        perform(pending.swaps);
        return restored;
    }

    /// May be cut off at any point and called again: each rename is done once.
    void perform(const std::vector<Swap>& swaps) const
    {
        for (const auto& swap : swaps)
        {
            const ScopedUser acting(rightsIn(swap.live.parent_path()));
            if (swap.replaces && !isThere(swap.aside)) moveDurably(swap.live, swap.aside);
            // A part that the backup lacks has nothing ready at all.
            if (isThere(swap.ready)) moveDurably(swap.ready, swap.live);
        }
        removeAll(_staging);
        std::filesystem::remove(_state / pendingName);
        syncFolder(_state);
    }

    const RestorePlan& _plan;
    const std::filesystem::path _state;
    const std::filesystem::path _dataLive;
    const std::filesystem::path _staging;
    const std::filesystem::path _dataStaging;
    /// Becomes the pending file.
    const std::filesystem::path _nextPending;
    User _owner;
};

} // namespace

Restored restoreBackup(const RestorePlan& plan, const std::function<void(std::uint64_t)>& progress)
{
    return Restorer(plan).restore(progress);
}

} // namespace portico::host::backup
