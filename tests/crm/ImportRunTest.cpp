#include "crm/ImportFixture.h"
#include "support/Together.h"

#include "imports/ImportRun.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

namespace portico::tests
{

namespace json = boost::json;

/// Directory whose first lookup blocks until the test releases it.
class HoldingDirectory final : public interfaces::Directory
{
public:
    std::optional<interfaces::DirectoryMember> member(Tenant, std::string_view) override { return std::nullopt; }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant, std::string_view address) override
    {
        std::unique_lock lock(_mutex);
        _asked.emplace_back(address);
        _changed.notify_all();
        if (_asked.size() == 1) _changed.wait(lock, [&] { return _released; });
        _asked.emplace_back(std::string(address) + " answered");
        interfaces::DirectoryMember member;
        member.userId = "usr_" + makeUlid(Instant{});
        member.active = true;
        return member;
    }
    void waitUntilAsked()
    {
        std::unique_lock lock(_mutex);
        _changed.wait(lock, [&] { return !_asked.empty(); });
    }
    void release()
    {
        const std::lock_guard lock(_mutex);
        _released = true;
        _changed.notify_all();
    }
    /// Returns the looked up addresses in order.
    Names asked()
    {
        const std::lock_guard lock(_mutex);
        return _asked;
    }

private:
    std::mutex _mutex;
    std::condition_variable _changed;
    Names _asked;
    bool _released = false;
};

/// How imports are run: in jobs, again after a crash, beside each other, checked before they store.
class ImportRunTest : public Suite<ImportRunTest, ImportFixture>
{
    TEST(runsLongFilesInJobs)
    {
        const auto file = numbered(0, 5001);
        const auto started = imported(file);
        equal("running", started.at("/status"));
        equal("0 0 0 0 0", totals(started));
        equal(409, undo(started).status);
        CHECK(host->context().blobs().usedBytes(owner.organizationId) >= file.size());
        host->context().jobs().runDue();
        const auto done = report(started);
        equal("completed", done.at("/status"));
        equal("5001 5001 0 0 0", totals(done));
        equal(0, host->context().blobs().usedBytes(owner.organizationId));
        equal("5000 0 0 5000 0", totals(imported(numbered(0, 5000))));
        const auto asked = imported(numbered(0, 1), "async=true");
        equal("running", asked.at("/status"));
        equal({"crm.import.completed", "crm.import.completed"}, eventTypes(owner));
    }

    TEST(goesOnAfterACrash)
    {
        for (const auto* options : {"", "dryRun=true", "onDuplicate=merge"})
        {
            const auto whole = importFile(newCaller(), mixed(0, 1200), options);
            for (const int crashAfter : {0, 1, 3}) goesOn(options, crashAfter, whole);
        }
    }

    TEST(isRunByOneAtATime)
    {
        const auto started = imported(numbered(0, 1200), "async=true");
        // The payload's format is stable across versions.
        equal(jsonWith(R"({"organizationId":"$","importId":"$"})", owner.organizationId, started.at("/importId")),
              host->context().jobs().waiting("crm.imports.run").front().payload);
        auto first = runOf(owner, started), second = runOf(owner, started);
        first->step();
        CPPUNIT_ASSERT_THROW(second->step(), crm::ImportOvertaken);
        host->context().jobs().runDue();
        CPPUNIT_ASSERT_THROW(first->step(), crm::ImportOvertaken);
        equal("1200 1200 0 0 0", totals(report(started)));
        CHECK(host->context().jobs().failures().empty());
        // The sweep finds an abandoned import, also if its job was lost.
        const auto lost = imported(numbered(2000, 10), "async=true");
        database().transact([](Transaction& transaction)
                            { transaction.execute("DELETE FROM portico_job WHERE type = 'crm.imports.run'"); });
        host->context().jobs().runDue();
        equal("running", report(lost).at("/status"));
        clock().advance(std::chrono::seconds(61));
        host->context().jobs().runDue();
        equal("10 10 0 0 0", totals(report(lost)));
    }

    TEST(breaksOffWithoutItsFile)
    {
        const auto started = imported(numbered(0, 10), "async=true");
        const auto key = database().session().value<std::string>("SELECT blob_key FROM import");
        CHECK(host->context().blobs().remove(key.value()));
        host->context().jobs().runDue();
        const auto failed = report(started);
        equal("failed", failed.at("/status"));
        equal({"1 internal"}, problems(failed));
        equal({"crm.import.completed"}, eventTypes(owner));
        equal(0, host->context().jobs().deadLetters());
    }

    TEST(breaksOffAfterManyFailures)
    {
        directory.emails["boss@example.org"] = "usr_" + makeUlid(Instant{});
        const auto started = imported("First Name,ownerEmail\nAda,boss@example.org\n", "async=true");
        services().withdraw(interfaces::Directory::interfaceName);
        for (int i = 0; i < 8; ++i)
        {
            equal("running", report(started).at("/status"));
            host->context().jobs().runDue();
            clock().advance(std::chrono::hours(2));
        }
        equal("failed", report(started).at("/status"));
        CHECK(report(started).at("").find("looked up") == std::string::npos);
        // A synchronous import also continues in a job.
        const auto later = imported("First Name,ownerEmail\nAda,boss@example.org\n");
        equal("running", later.at("/status"));
        services().offer<interfaces::Directory>(directory);
        directory.members[{owner.organizationId, directory.emails["boss@example.org"]}] = true;
        host->context().jobs().runDue();
        equal("1 1 0 0 0", totals(report(later)));
    }

    TEST(keepsAtomicFilesOut)
    {
        created(R"({"firstName":"Old","emails":[{"address":"n3@example.org"}]})");
        const auto file = numbered(0, 1100) + "Eve,nobody,\n";
        const auto checked = imported(file, "atomic=true&dryRun=true&onDuplicate=merge");
        const auto made = imported(file, "atomic=true&onDuplicate=merge");
        equal("failed", made.at("/status"));
        equal("1101 0 0 1100 1", totals(made));
        equal({"1101 invalid_email"}, problems(made));
        equal(totals(made), totals(checked));
        equal(made.at("/status"), checked.at("/status"));
        equal("null", made.at("/undoUntil"));
        equal(1, countContacts());
        equal("1", contactNamed("old").at("/version"));
    }

    TEST(storesAtomicFilesWhole)
    {
        created(R"({"lastName":"Old","emails":[{"address":"n3@example.org"}]})");
        const auto made = imported(numbered(0, 1100), "atomic=true&onDuplicate=merge");
        equal("completed", made.at("/status"));
        equal("1100 1099 1 0 0", totals(made));
        equal("N3 Old", contactNamed("n3@").at("/displayName"));
        equal(1100, countContacts());
        equal(200, undo(made).status);
        equal(1, countContacts());
    }

    TEST(takesBackWhatNoLongerFits)
    {
        created(R"({"lastName":"Old","emails":[{"address":"n3@example.org"}]})");
        std::string file = numbered(0, 1100);
        file += "Last,last@example.org,taken\n";
        // The last row's address is unknown, so the check finds no duplicate.
        const auto started = imported(file, "atomic=true&async=true&onDuplicate=merge&matchBy=email");
        auto run = runOf(owner, started);
        while (run->state().phase == crm::ImportPhase::Check) run->step();
        CHECK(run->state().phase == crm::ImportPhase::Store);
        run->step();
        CHECK(countContacts() > 1);
        // The check has succeeded, but another contact now has the id.
        created(R"({"firstName":"Rival","externalIds":[{"system":"erp","id":"taken"}]})");
        while (run->step()) {}
        const auto done = report(started);
        equal("failed", done.at("/status"));
        equal("1101 0 0 1100 1", totals(done));
        equal({"1101 duplicate_existing"}, problems(done));
        equal({"Old", "Rival"}, names(""));
        equal("", contactNamed("old").at("/firstName"));
        // Nothing to be restored either.
        CHECK(names("archived=true").empty());
        // The same file, when the id is free again.
        client->del(owner, "/api/contacts/" + contactNamed("rival").at("/id"));
        equal("1101 1100 1 0 0", totals(imported(file, "atomic=true&onDuplicate=merge&matchBy=email")));
    }

    /// Files with every kind of row: totals are consistent, and a check predicts the import and an atomic import.
    TEST(countsEveryRowOnce)
    {
        std::mt19937 random(20261121);
        for (const auto* keys : {"", "&matchBy=phone,externalId", "&matchBy=externalId,email,phone"})
        {
            const auto caller = newCaller();
            directory.emails["in@example.org"] = caller.principalId;
            directory.members[{caller.organizationId, caller.principalId}] = true;
            // Contacts from before.
            equal(200, importFile(caller, generated(random, 40)).status);
            const auto file = generated(random, 200);
            for (const auto* mode : {"skip", "merge", "update", "create"})
                countsOnce(caller, file, "onDuplicate=" + std::string(mode) + keys);
            // Default options: the second time nothing is new.
            importFile(caller, file);
            equal("0", importFile(caller, file).at("/totals/created"));
        }
    }

    TEST(importsBesideEachOther)
    {
        constexpr int importers = 4;
        std::vector<Answer> answers(importers);
        runTogether(importers, [&](int i) { answers[static_cast<std::size_t>(i)] = importFile(owner, numbered(0, 1200)); });
        std::int64_t created = 0;
        for (const auto& answer : answers)
        {
            equal(200, answer.status, answer.body);
            created += std::stoll(report(answer).at("/totals/created"));
        }
        host->context().jobs().runDue();
        for (const auto& answer : answers) equal("completed", report(answer).at("/status"));
        equal(1200, countContacts());
    }

    TEST(takesTurnsInAnOrganization)
    {
        const auto& routes = host->routes();
        const auto route =
            std::find_if(routes.begin(), routes.end(), [](const auto& each) { return each.pattern == "/api/contacts/import"; });
        // Does not run on the ordinary worker threads.
        CHECK(route->execution == Execution::Long);
        HoldingDirectory holding;
        services().offer<interfaces::Directory>(holding);
        const auto import = [&](const Caller& caller, const std::string& who)
        { return importFile(caller, "First Name,ownerEmail\nN," + who + "@example.org\n"); };
        Answer first, second;
        {
            const std::jthread one([&] { first = import(owner, "first"); });
            holding.waitUntilAsked();
            const std::jthread two([&] { second = import(owner, "second"); });
            // The second import has begun, and waits. Imports of other organizations, and other writes, are not blocked.
            while (client->get(owner, "/api/contacts/imports").count("/items") < 2) std::this_thread::yield();
            equal("completed", import(stranger, "stranger").at("/status"));
            for (int i = 0; i < 20; ++i) newContact();
            holding.release();
        }
        equal("completed", first.at("/status"));
        equal("completed", second.at("/status"));
        equal({"first@example.org", "stranger@example.org", "stranger@example.org answered", "first@example.org answered",
               "second@example.org", "second@example.org answered"},
              holding.asked());
    }

    TEST(takesTurnsInJobs)
    {
        HoldingDirectory holding;
        services().offer<interfaces::Directory>(holding);
        Answer first, waiting, other;
        Names totalsMeanwhile;
        std::int64_t jobs = 0;
        {
            const std::jthread one([&] { first = importFile(owner, "First Name,ownerEmail\nN,first@example.org\n"); });
            holding.waitUntilAsked();
            waiting = importFile(owner, numbered(0, 10), "async=true");
            other = importFile(stranger, numbered(0, 10), "async=true");
            for (int i = 0; i < 70; ++i)
            {
                host->context().jobs().runDue();
                clock().advance(std::chrono::seconds(2));
            }
            totalsMeanwhile = {totals(client->get(stranger, path(other))), totals(report(waiting))};
            jobs = *database().session().value<std::int64_t>("SELECT count(*) FROM portico_job WHERE type = 'crm.imports.run'");
            holding.release();
        }
        // Another organization does not wait.
        equal({"10 10 0 0 0", "0 0 0 0 0"}, totalsMeanwhile);
        // Each of the two has one waiting job, and waiting imports are not considered abandoned.
        equal(2, jobs);
        equal("completed", first.at("/status"));
        equal("running", report(waiting).at("/status"));
        clock().advance(std::chrono::seconds(2));
        host->context().jobs().runDue();
        equal("10 10 0 0 0", totals(report(waiting)));
    }

    /// SQLite has one writer: a waiting writer gets its turn between rows that otherwise share a transaction.
    TEST(letsOthersWriteBetweenItsRows)
    {
        bool came = false;
        for (int first = 0; first < 10'000 && !came; first += 500)
        {
            const auto started = imported(numbered(first, 500), "async=true");
            auto run = runOf(owner, started);
            {
                std::atomic<bool> ended{false}, between{false};
                const auto write = [&]
                {
                    while (!ended)
                    {
                        auto mine = database().begin();
                        const auto total = mine.value<std::int64_t>("SELECT total FROM import WHERE import_id = $1",
                                                                    std::string_view(started.at("/importId")));
                        between = between || (*total > 0 && *total < 500);
                    }
                };
                const std::jthread one(write), two(write);
                run->step();
                ended = true;
                came = between;
            }
            while (run->step()) {}
            equal("500 500 0 0 0", totals(report(started)));
            if (database().dialect() == Dialect::PostgreSQL) return;
        }
        CHECK(came);
    }

    TEST(looksAtNamesakesForPhotos)
    {
        // Without an address or a number it may be the one that is there, so that one is looked at before the photo is written.
        const auto card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nPHOTO;ENCODING=b:/9j/4AAQ\r\nEND:VCARD\r\n";
        for (const auto* mode : {"create", "skip", "update"})
            equal("completed", imported(card, "onDuplicate=" + std::string(mode), "text/vcard").at("/status"));
    }

    TEST(endsInBatchesWithLongRows)
    {
        // Rows of 15 KB: 4 MiB of them are one transaction.
        std::string file = "First Name,Notes\n";
        const std::string note(15000, 'n');
        for (int i = 0; i < 700; ++i) file += "N" + std::to_string(i) + "," + note + "\n";
        const auto started = imported(file, "async=true");
        auto run = runOf(owner, started);
        run->step();
        CHECK(run->state().total < 300 && run->state().total > 200);
        while (run->step()) {}
        equal("700 700 0 0 0", totals(report(started)));
    }

    void goesOn(const std::string& options, int crashAfter, const Answer& whole) const
    {
        const auto caller = newCaller();
        const auto started = importFile(caller, mixed(0, 1200), options.empty() ? "async=true" : "async=true&" + options);
        {
            auto run = runOf(caller, started);
            for (int i = 0; i < crashAfter; ++i) run->step();
            // The service has stopped after some rows.
        }
        const auto half = client->get(caller, path(started));
        equal(sumOf(half), std::stoll(half.at("/totals/rows")));
        host->context().jobs().runDue();
        const auto done = client->get(caller, path(started));
        equal(totals(whole), totals(done));
        equal(problems(whole), problems(done));
        equal(std::stoll(whole.at("/errorCount")), std::stoll(done.at("/errorCount")));
        const auto made = done.at("/dryRun") == "true" ? 0 : std::stoll(done.at("/totals/created"));
        equal(made, std::stoll(client->get(caller, "/api/contacts?limit=1&include=total").at("/total")));
    }

    void countsOnce(const Caller& caller, const std::string& file, const std::string& query) const
    {
        const auto checked = importFile(caller, file, query + "&dryRun=true");
        const auto made = importFile(caller, file, query);
        equal(200, made.status, made.body);
        equal("200", made.at("/totals/rows"));
        equal(sumOf(made), std::stoll(made.at("/totals/rows")));
        equal(totals(made), totals(checked), query);
        equal(problems(made), problems(checked), query);
        equal(std::stoll(made.at("/duplicatesInFile")), std::stoll(checked.at("/duplicatesInFile")));
        equal(std::stoll(made.at("/errorCount")), std::stoll(checked.at("/errorCount")));
        if (made.at("/undoUntil") == "null") return;
        const auto undone = client->post(caller, path(made) + "/undo", "{}");
        equal(200, undone.status, undone.body);
        CPPUNIT_ASSERT_MESSAGE(query + undone.at(""), undone.count("/kept") == 0);
        equal(std::stoll(made.at("/totals/created")), std::stoll(undone.at("/undone/deleted")), query + undone.at("") + totals(made));
    }

    static std::int64_t sumOf(const Answer& report)
    {
        std::int64_t sum = 0;
        for (const auto* name : {"created", "updated", "skipped", "failed"}) sum += valueAt(report, "/totals").at(name).as_int64();
        return sum;
    }

    static std::string numbered(int first, int count)
    {
        std::string file = "First Name,Email,externalIds.erp\n";
        for (int i = first; i < first + count; ++i) file += "N" + std::to_string(i) + ",n" + std::to_string(i) + "@example.org,\n";
        return file;
    }

    /// Good rows, bad ones, and duplicates near and far.
    static std::string mixed(int first, int count)
    {
        std::string file = "First Name,Email\n";
        for (int i = first; i < first + count; ++i)
        {
            const auto n = std::to_string(i % 7 == 0 ? i / 3 : i);
            file += "N" + n + (i % 11 == 0 ? ",nobody\n" : ",n" + n + "@example.org\n");
        }
        return file;
    }

    static std::string generated(std::mt19937& random, int rows)
    {
        const auto pick = [&](std::uint32_t below) { return std::to_string(random() % below); };
        const auto sometimes = [&](std::uint32_t of, std::string text) { return random() % of == 0 ? text : std::string(); };
        std::string file =
            "First Name,Last Name,Email,Email 2,Phone,Company,Tags,Notes,externalIds.erp,externalIds.crm,ownerEmail,Birthday\n";
        for (int i = 0; i < rows; ++i)
        {
            if (random() % 20 == 0)
            {
                file += ",,,,,,,,,,,\n";
                continue;
            }
            file += sometimes(2, "F" + pick(10)) + ',' + sometimes(3, "L" + pick(5)) + ',';
            file += sometimes(2, "e" + pick(60) + "@example.org") + sometimes(25, "broken") + ',';
            file += sometimes(6, "e" + pick(60) + "@example.org") + ',' + sometimes(3, "+49 170 1234" + pick(40)) + ',';
            file += sometimes(4, "C" + pick(4)) + ',' + sometimes(4, "t" + pick(3)) + ',' + sometimes(6, "note " + pick(5)) + ',';
            file += sometimes(4, pick(50)) + ',' + sometimes(8, pick(30)) + ',';
            file += sometimes(8, random() % 3 == 0 ? "out@example.org" : "in@example.org") + ',' +
                    sometimes(10, random() % 3 == 0 ? "1990-02-30" : "1990-02-0" + pick(9)) + '\n';
        }
        return file;
    }

    /// A run that the test leads step by step.
    std::unique_ptr<crm::ImportRun> runOf(const Caller& caller, const Answer& started) const
    {
        const auto& tools = static_cast<crm::CrmPlugin&>(host->plugin()).importTools();
        auto session = database().session();
        auto state = crm::importTable.find(session, caller.tenant(), *crm::ImportId::parse(started.at("/importId")));
        return std::make_unique<crm::ImportRun>(tools, caller.organizationId, *std::move(state));
    }
};

} // namespace portico::tests
