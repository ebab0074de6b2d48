#include "backup/Renames.h"
#include "ctl/TemporaryDirectory.h"

#include "host/backup/BackupMaker.h"
#include "host/backup/BackupRestorer.h"
#include "host/backup/DatabaseSnapshot.h"
#include "host/backup/Files.h"

#include <cppunit/TestFixture.h>
#include <cppunit/extensions/HelperMacros.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <map>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace portico::test
{

using namespace host::backup;

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
    CPPUNIT_ASSERT_EQUAL(SQLITE_OK, sqlite3_open(file.c_str(), &database));
    sqlite3_busy_timeout(database, 10'000);
    const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr);
    const std::string message = sqlite3_errmsg(database);
    sqlite3_close(database);
    CPPUNIT_ASSERT_EQUAL_MESSAGE(message, SQLITE_OK, code);
}

std::int64_t valueOf(const std::filesystem::path& file, const std::string& sql)
{
    sqlite3* database = nullptr;
    CPPUNIT_ASSERT_EQUAL(SQLITE_OK, sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr));
    sqlite3_stmt* statement = nullptr;
    CPPUNIT_ASSERT_EQUAL(SQLITE_OK, sqlite3_prepare_v2(database, sql.c_str(), -1, &statement, nullptr));
    CPPUNIT_ASSERT_EQUAL(SQLITE_ROW, sqlite3_step(statement));
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

class BackupTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(BackupTest);
    CPPUNIT_TEST(copiesOneMomentWhileOthersWrite);
    CPPUNIT_TEST(aFailedConfirmationLeavesNothing);
    CPPUNIT_TEST(whatIsRemovedMeanwhileIsCopiedFromWhereItIsHeld);
    CPPUNIT_TEST(aRestoreThatIsKilledAnywhereLosesNothingAndGoesOn);
    CPPUNIT_TEST(aRestoreOverNothingThatIsKilledAnywhereGoesOn);
    CPPUNIT_TEST(linksAndMountsAreLeftAlone);
    CPPUNIT_TEST(onlyAFolderOfDatabasesGoesAside);
    CPPUNIT_TEST(aPipeIsNoFile);
    CPPUNIT_TEST(aBackupHoldsItsFilesItself);
    CPPUNIT_TEST(noBackupIsPutIntoAnother);
    CPPUNIT_TEST(noBackupIsPutAmongTheDaemonsOwn);
    CPPUNIT_TEST(whatAManifestSaysIsLookedAt);
    CPPUNIT_TEST(whatSomebodyElseLeftPendingIsNotDone);
    CPPUNIT_TEST(whatIsNoFileIsRefused);
    CPPUNIT_TEST(namesThatLeaveTheBackup);
    CPPUNIT_TEST(rootReadsWhatTheDaemonMayRead);
    CPPUNIT_TEST(rootWritesAsTheOwnerOfTheState);
    CPPUNIT_TEST(versionsAreComparedAsNumbers);
    CPPUNIT_TEST_SUITE_END();

public:
    void copiesOneMomentWhileOthersWrite()
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
        CPPUNIT_ASSERT_MESSAGE("nobody wrote meanwhile", seen > 0);
        const auto copy = made.path / "data" / "crm.db";
        CPPUNIT_ASSERT(faultsOf(copy).empty());
        CPPUNIT_ASSERT_EQUAL(std::int64_t{2000}, valueOf(copy, "SELECT count(*) FROM pair"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1999}, valueOf(copy, "SELECT max(number) - min(number) FROM pair"));
        CPPUNIT_ASSERT(valueOf(live, "SELECT max(number) FROM pair") > valueOf(copy, "SELECT max(number) FROM pair"));
    }

    void aFailedConfirmationLeavesNothing()
    {
        Plan plan;
        plan.databases = {{"crm", database("crm")}};
        const auto place = _room.path() / "backups";
        makeFolders(place);
        CPPUNIT_ASSERT_EQUAL(std::string("lost"), codeOf(
                                                      [&]
                                                      {
                                                          makeBackup(
                                                              plan, place, [](const Progress&) {}, [] { throw Refused("lost", "lost"); });
                                                      }));
        CPPUNIT_ASSERT(std::filesystem::is_empty(place));
    }

    void whatIsRemovedMeanwhileIsCopiedFromWhereItIsHeld()
    {
        _room.write("live/a/1", "one");
        _room.write("live/a/2", "two");
        _room.write("held/a/2", "two");
        _room.write("held/b/3", "three");
        Plan plan;
        plan.trees = {{_room.path() / "live", _room.path() / "held", "blobs/crm"}};
        const auto made = make(plan);
        CPPUNIT_ASSERT((treeOf(made.path / "blobs") == Tree{{"crm/a/1", "one"}, {"crm/a/2", "two"}, {"crm/b/3", "three"}}));
        CPPUNIT_ASSERT_EQUAL(std::uint64_t{3}, made.manifest.fileCount);
    }

    void aRestoreThatIsKilledAnywhereLosesNothingAndGoesOn() { killEverywhere(true); }
    void aRestoreOverNothingThatIsKilledAnywhereGoesOn() { killEverywhere(false); }

    void linksAndMountsAreLeftAlone()
    {
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        _room.write("elsewhere/crm.db", "precious");
        makeFolders(state);
        std::filesystem::create_directory_symlink(_room.path() / "elsewhere", state / "data");
        CPPUNIT_ASSERT_EQUAL(std::string("not_a_folder"), codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        CPPUNIT_ASSERT_EQUAL(std::string("precious"), readFile(_room.path() / "elsewhere" / "crm.db"));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / pendingName));
    }

    /// What a backup says of the place of the databases is only a word of it.
    void onlyAFolderOfDatabasesGoesAside()
    {
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        const auto place = _room.path() / "place";
        _room.write("place/letter.txt", "precious");
        const RestorePlan plan{backup, state, place, true, {}};
        CPPUNIT_ASSERT_EQUAL(std::string("not_databases"), codeOf([&] { restoreBackup(plan, {}); }));
        makeFolders(place / "crm.db");
        std::filesystem::remove(place / "letter.txt");
        CPPUNIT_ASSERT_EQUAL(std::string("not_databases"), codeOf([&] { restoreBackup(plan, {}); }));
        // Neither the state itself.
        CPPUNIT_ASSERT_EQUAL(std::string("not_databases"), codeOf([&] { restoreBackup({backup, state, state, true, {}}, {}); }));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / pendingName));
        std::filesystem::remove(place / "crm.db");
        for (const char* name : {"crm.db", "crm.db-wal", "crm.db-shm", "mail.db"})
            _room.write(std::filesystem::path("place") / name, "old");
        restoreBackup(plan, {});
        CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, valueOf(place / "crm.db", "SELECT count(*) FROM note"));
        CPPUNIT_ASSERT(!std::filesystem::exists(place / "mail.db"));
    }

    void aPipeIsNoFile()
    {
        const auto backup = someBackup();
        const auto file = backup / "secrets" / "cursor-key";
        std::filesystem::remove(file);
        CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(file.c_str(), 0600));
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
        CPPUNIT_ASSERT_EQUAL(std::string("io_failed"), codeOf([&] { readFile(file); }));
    }

    void aBackupHoldsItsFilesItself()
    {
        const auto backup = someBackup();
        CPPUNIT_ASSERT_EQUAL(std::string("sqlite"), verifyBackup(backup, "9.0.0", {}).engine);
        std::filesystem::rename(backup / "secrets", _room.path() / "elsewhere");
        std::filesystem::create_directory_symlink(_room.path() / "elsewhere", backup / "secrets");
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
    }

    void whatAManifestSaysIsLookedAt()
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
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), refusal([](Manifest& each) { each.engine = "oracle"; }));
        CPPUNIT_ASSERT_EQUAL(std::string("damaged"), refusal(
                                                         [](Manifest& each)
                                                         {
                                                             each.engine = "sqlite";
                                                             each.databasePlace = "../place";
                                                         }));
        CPPUNIT_ASSERT_EQUAL(std::string(), refusal([](Manifest& each) { each.databasePlace = "/srv/place"; }));
    }

    /// Its list names each file of it, so it would count as damaged from then on.
    void noBackupIsPutIntoAnother()
    {
        const auto backup = someBackup();
        const auto another = [&]
        {
            makeBackup(
                Plan(), backup, [](const Progress&) {}, [] {});
        };
        CPPUNIT_ASSERT_EQUAL(std::string("exists"), codeOf(another));
        CPPUNIT_ASSERT_EQUAL(std::string(), codeOf([&] { verifyBackup(backup, "9.0.0", {}); }));
    }

    void noBackupIsPutAmongTheDaemonsOwn()
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
            CPPUNIT_ASSERT_EQUAL_MESSAGE(place, std::string("own_folder"), into(_room.path() / place));
        CPPUNIT_ASSERT((treeOf(state / "blobs") == Tree{{"crm/data/a", "precious"}}));
        CPPUNIT_ASSERT_EQUAL(std::string(), into(state / "backups"));
    }

    /// The state belongs to the daemon, the restore may be root's.
    void whatSomebodyElseLeftPendingIsNotDone()
    {
        if (::geteuid() != 0) return;
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        const auto victim = _room.write("victim/file", "precious").parent_path();
        const auto pending =
            _room.write(std::filesystem::path("state") / pendingName,
                        R"({"aside":"","list":")" + readManifest(backup).listSha256 + R"(","swaps":[{"ready":")" + victim.string() +
                            R"(","live":")" + (state / "taken").string() + R"(","aside":"","replaces":false}]})");
        CPPUNIT_ASSERT_EQUAL(0, ::chown(pending.c_str(), 65534, 65534));
        CPPUNIT_ASSERT_EQUAL(std::string("foreign"), codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        CPPUNIT_ASSERT(std::filesystem::exists(victim / "file"));
    }

    /// A plugin could have put it among its files.
    void whatIsNoFileIsRefused()
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
        CPPUNIT_ASSERT_EQUAL(std::string("io_failed"), refusal());
        std::filesystem::remove(odd);
        std::filesystem::create_directory_symlink(_room.path(), odd);
        CPPUNIT_ASSERT_EQUAL(std::string("io_failed"), refusal());
        std::filesystem::remove(odd);
        CPPUNIT_ASSERT_EQUAL(0, ::mkfifo(odd.c_str(), 0600));
        CPPUNIT_ASSERT_EQUAL(std::string("io_failed"), refusal());
        std::filesystem::remove(odd);
        CPPUNIT_ASSERT_EQUAL(std::string(), refusal());
    }

    /// What a daemon calls a service, a database or a setting becomes a name in the backup.
    void namesThatLeaveTheBackup()
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
                    CPPUNIT_ASSERT_EQUAL_MESSAGE(name, std::string("leaves_backup"), code);
                CPPUNIT_ASSERT(std::filesystem::is_empty(place.parent_path()));
                for (const char* each : {"outside", "outside.db"}) CPPUNIT_ASSERT(!std::filesystem::exists(_room.path() / each));
            }
    }

    /// The daemon says what belongs to a backup, and its user may lead a name elsewhere by a link on the way.
    void rootReadsWhatTheDaemonMayRead()
    {
        if (::geteuid() != 0) return static_cast<void>(std::puts("rootReadsWhatTheDaemonMayRead: only root can act as somebody else"));
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
        CPPUNIT_ASSERT_EQUAL(std::string("one"), readFile(made.path / "blobs/crm/a/1"));

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
            // Root's own plan, for comparison, goes everywhere.
            makeBackup(
                plan, _room.path() / "roots", [](const Progress&) {}, [] {});
            std::filesystem::remove_all(_room.path() / "roots");
            plan.reader = daemon;
            CPPUNIT_ASSERT(!codeOf(
                                [&]
                                {
                                    makeBackup(
                                        plan, _room.path() / "led", [](const Progress&) {}, [] {});
                                })
                                .empty());
            CPPUNIT_ASSERT(!std::filesystem::exists(_room.path() / "led"));
        }
        CPPUNIT_ASSERT_EQUAL(uid_t{0}, ::geteuid());
        CPPUNIT_ASSERT_EQUAL(gid_t{0}, ::getegid());
    }

    void rootWritesAsTheOwnerOfTheState()
    {
        if (::geteuid() != 0) return static_cast<void>(std::puts("rootWritesAsTheOwnerOfTheState: only root can act as somebody else"));
        const auto backup = someBackup();
        const auto state = _room.path() / "state";
        makeFolders(state);
        give(state);
        // A folder that he cannot reach is none that he could have led root through.
        CPPUNIT_ASSERT_EQUAL(std::string("io_failed"), codeOf([&] { restoreBackup({backup, state, {}, true, {}}, {}); }));
        open(_room.path());
        // Where only root may make the folder beside it, root does.
        const auto place = _room.path() / "place";
        makeFolders(place);
        give(place);
        restoreBackup({backup, state, place, true, {}}, {});
        // And again, over what is there.
        restoreBackup({backup, state, place, true, {}}, {});
        for (const auto& top : {state, place})
            for (const auto& entry : std::filesystem::recursive_directory_iterator(top))
            {
                struct stat status = {};
                CPPUNIT_ASSERT_EQUAL(0, ::lstat(entry.path().c_str(), &status));
                CPPUNIT_ASSERT_EQUAL_MESSAGE(entry.path().string(), daemon.id, status.st_uid);
                CPPUNIT_ASSERT_EQUAL_MESSAGE(entry.path().string(), daemon.group, status.st_gid);
            }
        CPPUNIT_ASSERT(std::filesystem::exists(place / "crm.db"));
        CPPUNIT_ASSERT_EQUAL(uid_t{0}, ::geteuid());
    }

    void versionsAreComparedAsNumbers()
    {
        CPPUNIT_ASSERT(compareVersions("0.9.0", "0.10.0") < 0);
        CPPUNIT_ASSERT(compareVersions("1.0.0", "0.10.9") > 0);
        CPPUNIT_ASSERT_EQUAL(0, compareVersions("1.2.3", "1.2.3-rc1"));
        CPPUNIT_ASSERT(compareVersions("", "0.0.1") < 0);
    }

private:
    inline static const User daemon{65534, 65534, {65534}};

    static void give(const std::filesystem::path& path) { CPPUNIT_ASSERT_EQUAL(0, ::lchown(path.c_str(), daemon.id, daemon.group)); }
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
        plan.files = {{_room.write("key", "new key"), "secrets/cursor-key"}, {_room.path() / "absent", "conf.d/services.properties"}};
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
            CPPUNIT_ASSERT_EQUAL(pending, restored.continued);
            CPPUNIT_ASSERT_EQUAL(overSomething, !restored.aside.empty());
            if (overSomething) CPPUNIT_ASSERT(treeOf(restored.aside) == before);
            requireRestored(state);
        }
        // One for the marker, one for each part that was there, one for each that comes.
        CPPUNIT_ASSERT_EQUAL(overSomething ? 7 : 4, kills);
    }

    /// True if the restore came so far; otherwise it has ended well.
    static bool killedBeforeRename(int number, const RestorePlan& plan)
    {
        const auto child = ::fork();
        CPPUNIT_ASSERT(child >= 0);
        if (child == 0)
        {
            dieBeforeRename(number);
            restoreBackup(plan, {});
            ::_exit(0);
        }
        int status = 0;
        CPPUNIT_ASSERT_EQUAL(child, ::waitpid(child, &status, 0));
        CPPUNIT_ASSERT(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
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
        CPPUNIT_ASSERT_EQUAL(std::string("new blob"), readFile(state / "blobs" / "crm" / "data" / "a" / "1"));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / "blobs" / "crm" / "data" / "b"));
        CPPUNIT_ASSERT_EQUAL(std::string("new key"), readFile(state / "secrets" / "cursor-key"));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / "conf.d"));
        for (const char* name : {"crm", "identity"})
            CPPUNIT_ASSERT_EQUAL(std::int64_t{1}, valueOf(state / "data" / (std::string(name) + ".db"),
                                                          "SELECT count(*) FROM note WHERE body = '" + std::string(name) + "'"));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / "restoring"));
        CPPUNIT_ASSERT(!std::filesystem::exists(state / pendingName));
    }

    TemporaryDirectory _room;
};

CPPUNIT_TEST_SUITE_REGISTRATION(BackupTest);

} // namespace portico::test
