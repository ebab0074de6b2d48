#include "backup/Renames.h"
#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/backup/BackupMaker.h"
#include "host/backup/BackupRestorer.h"
#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Files.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <sqlite3.h>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace portico::test
{

using namespace host::backup;
using portico::testing::equal;
using portico::testing::Suite;

namespace
{

using Tree = std::map<std::string, std::string>;

/// Content of each file by its path.
Tree treeOf(const std::filesystem::path& folder)
{
    Tree tree;
    forEachFile(folder, [&](const std::filesystem::path& file) { tree[file.string()] = readFile(folder / file); });
    return tree;
}

void execute(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    equal(SQLITE_OK, sqlite3_open(file.c_str(), &database));
    sqlite3_busy_timeout(database, 10'000);
    const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
    const std::string message = sqlite3_errmsg(database);
    sqlite3_close(database);
    equal(SQLITE_OK, code, message);
}

std::int64_t valueOf(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    equal(SQLITE_OK, sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr));
    sqlite3_stmt* statement = nullptr;
    equal(SQLITE_OK, sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr));
    equal(SQLITE_ROW, sqlite3_step(statement));
    const auto value = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return value;
}

std::string codeOf(const std::function<void()>& work)
{
    try
    {
        work();
    }
    catch (const Refused& failure)
    {
        return failure.code();
    }
    return {};
}

} // namespace

class BackupTest : public Suite<BackupTest>
{
    TEST(copiesOneMomentWhileOthersWrite)
    {
        const auto live = database("crm");
        execute(live, "CREATE TABLE pair (number INTEGER PRIMARY KEY, filler BLOB)");
        execute(live, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "
                      "INSERT INTO pair SELECT i, randomblob(4000) FROM n");
        // Every change adds one row and takes one away: at any moment there are as many.
        std::atomic<bool> stop{false};
        std::atomic<int> changes{0};
        std::thread writer(
            [&]
            {
                for (int i = 1; !stop; ++i, ++changes)
                    execute(live, "BEGIN IMMEDIATE; DELETE FROM pair WHERE number = " + std::to_string(i) + "; INSERT INTO pair VALUES (" +
                                      std::to_string(2000 + i) + ", randomblob(4000)); COMMIT");
            });
        int seen = 0;
        Plan plan;
        plan.databases = {{"crm", live}};
        plan.bytesPerSecond = 6 * 1024 * 1024;
        const auto made = makeBackup(
            plan, _room.path() / "backup", [&](const Progress&) { seen = changes; }, [] {});
        stop = true;
        writer.join();
        CPPUNIT_ASSERT_MESSAGE("no write ran during the copy", seen > 0);
        const auto copy = made.path / "data" / "crm.db";
        CHECK(faultsOf(copy).empty());
        equal(2000, valueOf(copy, "SELECT count(*) FROM pair"));
        equal(1999, valueOf(copy, "SELECT max(number) - min(number) FROM pair"));
        CHECK(valueOf(live, "SELECT max(number) FROM pair") > valueOf(copy, "SELECT max(number) FROM pair"));
    }

    TEST(aFailedConfirmationLeavesNothing)
    {
        Plan plan;
        plan.databases = {{"crm", database("crm")}};
        const auto place = _room.path() / "backups";
        makeFolders(place);
        equal("lost", codeOf(
                          [&]
                          {
                              makeBackup(
                                  plan, place, [](const Progress&) {}, [] { throw Refused("lost", "lost"); });
                          }));
        CHECK(std::filesystem::is_empty(place));
    }

    TEST(copiesHeldFilesOfBlobsRemovedDuringBackup)
    {
        _room.write("live/a/1", "one");
        _room.write("live/a/2", "two");
        _room.write("held/a/2", "two");
        _room.write("held/b/3", "three");
        Plan plan;
        plan.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        const auto made = make(plan);
        CHECK((treeOf(made.path / "blobs") == Tree{{"crm/a/1", "one"}, {"crm/a/2", "two"}, {"crm/b/3", "three"}}));
        equal(3, made.manifest.fileCount);
    }

    /// A host that ignores the hold removes files that the copy of the database refers to.
    TEST(filesRemovedBeforeTheirCopyFailTheBackup)
    {
        const std::string content(10'000, 'x');
        const auto files = {_room.write("live/a/1", content), _room.write("live/a/2", content)};
        Plan plan;
        plan.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        // The copy of the first file waits, and then reports progress.
        plan.bytesPerSecond = content.size();
        const auto codeWhen = [&](const std::function<void(const std::filesystem::path& file)>& removal)
        {
            return codeOf(
                [&]
                {
                    makeBackup(
                        plan, _room.path() / "backup",
                        [&](const Progress&)
                        {
                            for (const auto& file : files)
                                if (std::filesystem::exists(file)) removal(file);
                        },
                        [] {});
                });
        };
        equal("lost", codeWhen([](const std::filesystem::path& file) { std::filesystem::remove(file); }));
        CHECK(!std::filesystem::exists(_room.path() / "backup"));

        for (const auto& file : files) _room.write(file.lexically_relative(_room.path()), content);
        makeFolders(_room.path() / "held/a");
        equal("", codeWhen([&](const std::filesystem::path& file)
                           { std::filesystem::rename(file, _room.path() / "held/a" / file.filename()); }));
        equal(std::size_t{2}, treeOf(_room.path() / "backup/blobs").size());
    }

    TEST(missingSecretFailsTheBackup)
    {
        Plan plan;
        plan.files = {{_room.path() / "absent", "secrets/cursor-key"}};
        equal("lost", codeOf([&] { make(plan); }));
        plan.files.front().optional = true;
        equal("", codeOf([&] { make(plan); }));
    }

    TEST(aListThatCannotBeReadIsNotEmpty)
    {
        equal("io_failed", codeOf([&] { forEachListed(_room.path() / "absent", [](const ListedFile&) {}); }));
    }

    TEST(aContinuedRestoreLoadsNoDumpAgain)
    {
        auto plan = RestorePlan{someBackup(), _room.path() / "state", {}, false, {}};
        int loads = 0;
        plan.prepareLoad = [&] { return Load{{"crm_before_restore_1"}, [&](const std::filesystem::path&) { ++loads; }}; };
        // The first rename writes down the others.
        CHECK(killedBeforeRename(2, plan));
        const auto restored = restoreBackup(plan, {});
        CHECK(restored.continued);
        equal(0, loads);
        CHECK(restored.asideSchemas == std::vector<std::string>{"crm_before_restore_1"});
        requireRestored(plan.stateDirectory);
    }

    TEST(continuesARestoreOfAnEarlierVersion)
    {
        const RestorePlan plan{someBackup(), _room.path() / "state", {}, false, {}};
        const auto list = readManifest(plan.backup).listSha256;
        const auto pending = std::filesystem::path("state") / pendingName;
        _room.write(pending, R"({"aside":"","list":")" + list + R"(","swaps":[]})");
        CHECK(restoreBackup(plan, {}).continued);
        CHECK(!std::filesystem::exists(_room.path() / pending));
        for (const auto& text : {std::string(), std::string("{"), std::string("[]"), std::string("{}"), R"({"list":")" + list + R"("})"})
        {
            _room.write(pending, text);
            equal("damaged", codeOf([&] { restoreBackup(plan, {}); }), text);
            CHECK(std::filesystem::exists(_room.path() / pending));
        }
    }

    TEST(aFailedLoadLeavesNothing)
    {
        const Tree before{{"data/crm.db", "old"}, {"porticod.lock", ""}};
        for (const auto& [name, content] : before) _room.write(std::filesystem::path("state") / name, content);
        auto plan = RestorePlan{someBackup(), _room.path() / "state", {}, true, {}};
        plan.prepareLoad = [] {
            return Load{{}, [](const std::filesystem::path&) { throw Refused("postgresql_failed", "postgresql_failed"); }};
        };
        equal("postgresql_failed", codeOf([&] { restoreBackup(plan, {}); }));
        CHECK(treeOf(plan.stateDirectory) == before);
        for (const auto& entry : std::filesystem::directory_iterator(plan.stateDirectory))
            CHECK(entry.path().filename() == "data" || entry.path().filename() == "porticod.lock");
    }

    TEST(aRestoreThatIsKilledAnywhereLosesNothingAndGoesOn) { killEverywhere(true); }
    TEST(aRestoreOverNothingThatIsKilledAnywhereGoesOn) { killEverywhere(false); }

    TEST(linksAndMountsAreLeftAlone)
    {
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        _room.write("elsewhere/crm.db", "precious");
        makeFolders(state);
        std::filesystem::create_directory_symlink(_room.path() / "elsewhere", state / "data");
        equal("not_a_folder", codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        equal("precious", readFile(_room.path() / "elsewhere" / "crm.db"));
        CHECK(!std::filesystem::exists(state / pendingName));
    }

    /// The backup only claims the place of the databases.
    TEST(onlyAFolderOfDatabasesGoesAside)
    {
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        const auto place = _room.path() / "place";
        _room.write("place/letter.txt", "precious");
        const RestorePlan plan{backup, state, place, true, {}};
        equal("not_databases", codeOf([&] { restoreBackup(plan, {}); }));
        makeFolders(place / "crm.db");
        std::filesystem::remove(place / "letter.txt");
        equal("not_databases", codeOf([&] { restoreBackup(plan, {}); }));
        // Neither the state itself.
        equal("not_databases", codeOf([&] { restoreBackup({backup, state, state, true, {}}, {}); }));
        CHECK(!std::filesystem::exists(state / pendingName));
        std::filesystem::remove(place / "crm.db");
        for (const char* name : {"crm.db", "crm.db-wal", "crm.db-shm", "mail.db"})
            _room.write(std::filesystem::path("place") / name, "old");
        restoreBackup(plan, {});
        equal(1, valueOf(place / "crm.db", "SELECT count(*) FROM note"));
        CHECK(!std::filesystem::exists(place / "mail.db"));
    }

    TEST(aPipeIsNoFile)
    {
        const auto backup = someBackup();
        const auto file = backup / "secrets" / "cursor-key";
        std::filesystem::remove(file);
        equal(0, ::mkfifo(file.c_str(), 0600));
        equal("damaged", codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
        equal("io_failed", codeOf([&] { readFile(file); }));
    }

    TEST(aBackupHoldsItsFilesItself)
    {
        const auto backup = someBackup();
        equal("sqlite", verifyBackup(backup, "9.0.0", {}).engine);
        std::filesystem::rename(backup / "secrets", _room.path() / "elsewhere");
        std::filesystem::create_directory_symlink(_room.path() / "elsewhere", backup / "secrets");
        equal("damaged", codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
    }

    TEST(invalidManifestIsRejected)
    {
        const auto backup = someBackup();
        const auto file = backup / manifestName;
        const auto refusal = [&](auto&& change)
        {
            auto manifest = readManifest(backup);
            change(manifest);
            std::filesystem::remove(file);
            writeFile(file, toJson(manifest));
            return codeOf([&] { verifyBackup(backup, "9.0.0", {}); });
        };
        equal("damaged", refusal([](Manifest& each) { each.engine = "oracle"; }));
        equal("damaged", refusal(
                             [](Manifest& each)
                             {
                                 each.engine = "sqlite";
                                 each.databasePlace = "../place";
                             }));
        equal("", refusal([](Manifest& each) { each.databasePlace = "/srv/place"; }));
    }

    /// Its list names each file of it, so it would count as damaged from then on.
    TEST(noBackupIsPutIntoAnother)
    {
        const auto backup = someBackup();
        const auto another = [&]
        {
            makeBackup(
                Plan(), backup, [](const Progress&) {}, [] {});
        };
        equal("exists", codeOf(another));
        equal("", codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
    }

    TEST(noBackupIsPutAmongTheDaemonsOwn)
    {
        const auto state = _room.path() / "state";
        _room.write("state/blobs/crm/data/a", "precious");
        makeFolders(_room.path() / "state" / "backups");
        std::filesystem::create_directory_symlink(state / "blobs", _room.path() / "elsewhere");
        Plan plan;
        plan.manifest.stateDirectory = state.string();
        const auto into = [&](const std::filesystem::path& place)
        {
            return codeOf(
                [&]
                {
                    makeBackup(
                        plan, place, [](const Progress&) {}, [] {});
                });
        };
        for (const char* place : {"state/blobs", "state/blobs/monday", "state/blobs/crm/data", "state/secrets/monday", "elsewhere/monday",
                                  "state/backups/../blobs/monday"})
            equal("own_folder", into(_room.path() / place), place);
        CHECK((treeOf(state / "blobs") == Tree{{"crm/data/a", "precious"}}));
        equal("", into(state / "backups"));
    }

    /// The state belongs to the daemon, the restore may be root's.
    TEST(pendingSwapOfAnotherUserIsIgnored)
    {
        if (::geteuid() != 0) return;
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        const auto victim = _room.write("victim/file", "precious").parent_path();
        const auto pending =
            _room.write(std::filesystem::path("state") / pendingName,
                        R"({"aside":"","list":")" + readManifest(backup).listSha256 + R"(","swaps":[{"ready":")" + victim.string() +
                            R"(","live":")" + (state / "taken").string() + R"(","aside":"","replaces":false}]})");
        equal(0, ::chown(pending.c_str(), 65534, 65534));
        equal("foreign", codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        CHECK(std::filesystem::exists(victim / "file"));
    }

    /// A plugin could have put it among its files.
    TEST(specialFilesAreRejected)
    {
        _room.write("precious", "precious");
        _room.write("live/a/1", "one");
        const auto odd = _room.path() / "live/a/2";
        Plan plan;
        plan.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        const auto refusal = [&]
        {
            return codeOf(
                [&]
                {
                    makeBackup(
                        plan, _room.path() / "backup", [](const Progress&) {}, [] {});
                });
        };
        std::filesystem::create_symlink(_room.path() / "precious", odd);
        equal("io_failed", refusal());
        std::filesystem::remove(odd);
        std::filesystem::create_directory_symlink(_room.path(), odd);
        equal("io_failed", refusal());
        std::filesystem::remove(odd);
        equal(0, ::mkfifo(odd.c_str(), 0600));
        equal("io_failed", refusal());
        std::filesystem::remove(odd);
        equal("", refusal());
    }

    /// The daemon's names of services, databases and settings become file names in the backup.
    TEST(namesThatLeaveTheBackup)
    {
        _room.write("live/a/1", "one");
        const auto live = database("crm");
        const auto place = _room.path() / "places" / "backup";
        makeFolders(place.parent_path());
        const auto outside = (_room.path() / "outside").string();
        for (const auto& name : {std::string("../../../outside"), outside, std::string("..")})
            for (const auto& lead :
                 std::vector<std::function<void(Plan&)>>{
                     [&](Plan& plan) {
                         plan.trees = {{_room.path() / "live", _room.path() / "held", std::filesystem::path("blobs") / name}};
                     },
                     [&](Plan& plan) {
                         plan.files = {{_room.path() / "live/a/1", std::filesystem::path("secrets") / name}};
                     },
                     [&](Plan& plan) {
                         plan.databases = {{name, live}};
                     }})
            {
                Plan plan;
                lead(plan);
                const auto code = codeOf(
                    [&]
                    {
                        makeBackup(
                            plan, place, [](const Progress&) {}, [] {});
                    });
                // A database of the name `..` is the file `...db`, and harmless.
                if (code.empty() && !plan.databases.empty() && name == "..")
                    std::filesystem::remove_all(place);
                else
                    equal("leaves_backup", code, name);
                CHECK(std::filesystem::is_empty(place.parent_path()));
                for (const char* each : {"outside", "outside.db"}) CHECK(!std::filesystem::exists(_room.path() / each));
            }
    }

    /// The daemon says what belongs to a backup, and its user may lead a name elsewhere by a link on the way.
    TEST(rootReadsWhatTheDaemonMayRead)
    {
        if (::geteuid() != 0) return static_cast<void>(std::puts("rootReadsWhatTheDaemonMayRead: only root can act as another user"));
        open(_room.path());
        _room.write("precious/a/1", "precious");
        std::filesystem::permissions(_room.path() / "precious", std::filesystem::perms::owner_all);
        std::filesystem::rename(database("precious"), _room.path() / "precious/crm.db");
        _room.write("live/a/1", "one");
        makeFolders(_room.path() / "own");
        const auto own = database("own/crm");
        for (const char* each : {"live", "live/a", "live/a/1", "own", "own/crm.db"}) give(_room.path() / each);
        std::filesystem::create_directory_symlink(_room.path() / "precious", _room.path() / "link");

        Plan good;
        good.reader = daemon;
        good.databases = {{"crm", own}};
        good.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        const auto made = makeBackup(
            good, _room.path() / "backup", [](const Progress&) {}, [] {});
        equal("one", readFile(made.path / "blobs/crm/a/1"));

        for (const auto& lead :
             std::vector<std::function<void(Plan&)>>{[&](Plan& plan) {
                                                         plan.trees = {{_room.path() / "link", _room.path() / "held", "blobs/crm"}};
                                                     },
                                                     [&](Plan& plan) {
                                                         plan.files = {{_room.path() / "link/a/1", "secrets/1"}};
                                                     },
                                                     [&](Plan& plan) {
                                                         plan.databases = {{"crm", _room.path() / "link/crm.db"}};
                                                     }})
        {
            Plan plan;
            lead(plan);
            // Root's own plan, for comparison, copies everything.
            makeBackup(
                plan, _room.path() / "roots", [](const Progress&) {}, [] {});
            std::filesystem::remove_all(_room.path() / "roots");
            plan.reader = daemon;
            CHECK(!codeOf(
                       [&]
                       {
                           makeBackup(
                               plan, _room.path() / "led", [](const Progress&) {}, [] {});
                       })
                       .empty());
            CHECK(!std::filesystem::exists(_room.path() / "led"));
        }
        equal(uid_t{0}, ::geteuid());
        equal(gid_t{0}, ::getegid());
    }

    TEST(rootWritesAsTheOwnerOfTheState)
    {
        if (::geteuid() != 0) return static_cast<void>(std::puts("rootWritesAsTheOwnerOfTheState: only root can act as another user"));
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        makeFolders(state);
        give(state);
        // A folder that he cannot reach is none that he could have led root through.
        equal("io_failed", codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        open(_room.path());
        // Where only root may make the folder beside it, root does.
        const auto place = _room.path() / "place";
        makeFolders(place);
        give(place);
        restoreBackup({backup, state, place, true, {}}, {});
        // Again, over existing data.
        restoreBackup({backup, state, place, true, {}}, {});
        for (const auto& top : {state, place})
            for (const auto& entry : std::filesystem::recursive_directory_iterator(top))
            {
                struct stat status = {};
                equal(0, ::lstat(entry.path().c_str(), &status));
                equal(daemon.id, status.st_uid, entry.path().string());
                equal(daemon.group, status.st_gid, entry.path().string());
            }
        CHECK(std::filesystem::exists(place / "crm.db"));
        equal(uid_t{0}, ::geteuid());
    }

    TEST(versionsAreComparedAsNumbers)
    {
        CHECK(compareVersions("0.9.0", "0.10.0") < 0);
        CHECK(compareVersions("1.0.0", "0.10.9") > 0);
        equal(0, compareVersions("1.2.3", "1.2.3-rc1"));
        CHECK(compareVersions("", "0.0.1") < 0);
    }

    inline static const User daemon{65534, 65534, {65534}};

    static void give(const std::filesystem::path& path) { equal(0, ::lchown(path.c_str(), daemon.id, daemon.group)); }
    /// Others may go through, as through /var/lib.
    static void open(const std::filesystem::path& folder) { std::filesystem::permissions(folder, std::filesystem::perms(0711)); }

    std::filesystem::path database(const std::string& name) const
    {
        const auto file = _room.path() / (name + ".db");
        execute(file, "PRAGMA journal_mode=WAL; CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT); INSERT INTO note (body) VALUES ('" +
                          name + "')");
        return file;
    }

    MadeBackup make(const Plan& plan) const
    {
        return makeBackup(
            plan, _room.path() / "backup", [](const Progress&) {}, [] {});
    }

    std::filesystem::path someBackup() const
    {
        _room.write("live/a/1", "new blob");
        Plan plan;
        plan.manifest.engine = "sqlite";
        plan.databases = {{"crm", database("crm")}, {"identity", database("identity")}};
        plan.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        plan.files = {{_room.write("key", "new key"), "secrets/cursor-key"},
                      {_room.path() / "absent", "configuration/1-portico.properties", true}};
        return make(plan).path;
    }

    void killEverywhere(bool overSomething)
    {
        const auto backup = someBackup();
        const RestorePlan plan{backup, _room.path() / "state", {}, true, {}};
        const auto& state = plan.stateDirectory;
        const Tree before = overSomething
                                ? Tree{{"blobs/crm/data/b/2", "old blob"}, {"conf.d/services.properties", "old"}, {"data/crm.db", "old"}}
                                : Tree{};
        int kills = 0;
        for (int rename = 1;; ++rename)
        {
            std::filesystem::remove_all(state);
            for (const auto& [name, content] : before) _room.write(std::filesystem::path("state") / name, content);
            if (!killedBeforeRename(rename, plan)) break;
            ++kills;
            const bool pending = std::filesystem::exists(state / pendingName);
            if (!pending) CPPUNIT_ASSERT_MESSAGE("the state changed before there was a way back", unchanged(state, before));
            const auto restored = restoreBackup(plan, {});
            equal(pending, restored.continued);
            equal(overSomething, !restored.aside.empty());
            if (overSomething) CHECK(treeOf(restored.aside) == before);
            requireRestored(state);
        }
        // One for the marker, one for each part that was there, one for each that comes.
        equal(overSomething ? 7 : 4, kills);
    }

    /// Returns true if the restore was killed before that rename; otherwise it has completed.
    static bool killedBeforeRename(int number, const RestorePlan& plan)
    {
        const auto child = ::fork();
        CHECK(child >= 0);
        if (child == 0)
        {
            dieBeforeRename(number);
            restoreBackup(plan, {});
            ::_exit(0);
        }
        int status = 0;
        equal(child, ::waitpid(child, &status, 0));
        CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
        return WIFSIGNALED(status);
    }

    static bool unchanged(const std::filesystem::path& state, const Tree& before)
    {
        auto found = treeOf(state);
        std::erase_if(
            found, [](const auto& file)
            { return file.first.starts_with("restoring/") || file.first == "porticod.lock" || file.first == "restore.pending.new"; });
        return found == before;
    }

    static void requireRestored(const std::filesystem::path& state)
    {
        equal("new blob", readFile(state / "blobs" / "crm" / "data" / "a" / "1"));
        CHECK(!std::filesystem::exists(state / "blobs" / "crm" / "data" / "b"));
        equal("new key", readFile(state / "secrets" / "cursor-key"));
        CHECK(!std::filesystem::exists(state / "conf.d"));
        for (const char* name : {"crm", "identity"})
            equal(1, valueOf(state / "data" / (std::string(name) + ".db"),
                             "SELECT count(*) FROM note WHERE body = '" + std::string(name) + "'"));
        CHECK(!std::filesystem::exists(state / "restoring"));
        CHECK(!std::filesystem::exists(state / pendingName));
    }

    TemporaryDirectory _room;
};

} // namespace portico::test
