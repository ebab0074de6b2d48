#include "host/data/Migrator.h"
#include "host/data/postgres/PostgresEngine.h"
#include "host/data/postgres/PostgresNotifier.h"

#include "support/Postgres.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <vector>

namespace portico::tests
{

using namespace std::chrono_literals;

/// Notifications between hosts that share a PostgreSQL server.
class WorkNotifierTest : public Suite<WorkNotifierTest>
{
    TEST(notifiesOtherHosts)
    {
        Host one(_place, rarely()), other(_place, rarely());
        one.waitForAll(1);
        other.waitForAll(1);
        one.notifier.notify("crm");
        other.waitFor("crm");
        other.notifier.notify("identity");
        one.waitFor("identity");
        // A host knows its own work.
        equal(0, one.count("crm"));
        equal(0, other.count("identity"));
    }

    TEST(findsWorkWithoutANotification)
    {
        const auto database = makeTables();
        Host host(_place, {.look = 20ms, .betweenReports = 1ms});
        host.waitForAll(1);
        host.notifier.watch("crm");
        database->transact(
            [](Transaction& transaction) {
                transaction.execute(
                    "INSERT INTO portico_event (id, type, organization_id, data, created_at) VALUES ('e', 't', '', '{}', 1)");
            });
        host.waitFor("crm");
        database->transact(
            [](Transaction& transaction)
            {
                transaction.execute("DELETE FROM portico_event");
                transaction.execute("INSERT INTO portico_job (id, type, payload, due_at, max_attempts, created_at) "
                                    "VALUES ('j', 't', '{}', 1, 1, 1)");
            });
        const auto before = host.count("crm");
        host.waitFor("crm", before + 2); // one of them may still have seen the event
    }

    TEST(reportsAllWorkAfterTheServerWasAway)
    {
        Host host(_place, rarely()), other(_place, rarely());
        host.waitForAll(1);
        other.waitForAll(1); // it is connected, too, before the server ends
        auto& server = PostgresServer::shared();
        server.kill();
        host.waitForAll(2); // it is disconnected
        CHECK(!host.notifier.isReceiving());
        server.start();
        host.waitForAll(3);
        other.waitForAll(3);
        CHECK(host.notifier.isReceiving());
        other.notifier.notify("crm");
        host.waitFor("crm");
    }

    TEST(goesOnBesideAServiceWithoutTables)
    {
        Host host(_place, {.look = 10ms, .betweenReports = 1ms});
        host.waitForAll(1);
        host.notifier.watch("crm");
        host.waitForAll(4); // each look reports that it could not see
        CHECK(host.notifier.isReceiving());
    }

    TEST(endsWhileTheServerIsAway)
    {
        auto& server = PostgresServer::shared();
        server.kill();
        {
            Host host(_place, rarely());
            host.notifier.notify("crm");
        }
        server.start();
    }

    /// The notifier of a host, with what it has reported.
    struct Host
    {
        Host(const TestDatabase& place, host::data::PostgresNotifier::Times times)
            : notifier(host::data::pocoConnectionString(place.settings), times, [this](std::string_view service) { report(service); })
        {
            notifier.start();
        }
        ~Host() { notifier.stop(); }

        void report(std::string_view service)
        {
            const std::lock_guard lock(mutex);
            reported.emplace_back(service);
            changed.notify_all();
        }
        long count(std::string_view service)
        {
            const std::lock_guard lock(mutex);
            return counted(service);
        }
        long counted(std::string_view service) const { return static_cast<long>(std::ranges::count(reported, service)); }
        void waitFor(std::string_view service, long times = 1)
        {
            std::unique_lock lock(mutex);
            changed.wait(lock, [&] { return counted(service) >= times; });
        }
        void waitForAll(long times) { waitFor("", times); }

        std::mutex mutex;
        std::condition_variable changed;
        std::vector<std::string> reported;
        host::data::PostgresNotifier notifier;
    };

    static host::data::PostgresNotifier::Times rarely() { return {.look = 1h}; }

    std::unique_ptr<host::data::ServiceDatabase> makeTables() const
    {
        auto database = _place.open("crm");
        host::data::migrate(*database, {"portico", PLATFORM_MIGRATIONS}, Instant(1ms));
        return database;
    }

    TestDatabase _place{Dialect::PostgreSQL};
};

} // namespace portico::tests
