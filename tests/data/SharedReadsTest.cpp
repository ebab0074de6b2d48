#include "host/data/SharedReads.h"
#include "host/telemetry/MetricsRegistry.h"

#include "support/Postgres.h"
#include "support/Suite.h"
#include "support/TestDatabase.h"

#include <array>
#include <atomic>
#include <future>
#include <latch>
#include <optional>
#include <thread>
#include <vector>

namespace portico::tests
{

namespace
{

constexpr std::string_view numbersByKey = "SELECT id, value FROM number WHERE id = ANY($1::text[])";

} // namespace

/// One statement for many requests: no request gets an answer that is older than itself.
class SharedReadsTest : public Suite<SharedReadsTest>
{
    void setUp() override
    {
        _database = _place.open();
        _database->transact(
            [](Transaction& transaction)
            {
                transaction.execute("CREATE TABLE number (id TEXT PRIMARY KEY, value BIGINT NOT NULL)");
                transaction.execute(R"(INSERT INTO number (id, value) VALUES ('a', 1), ('b', 2), ('c"\,{}', 3))");
            });
        _reads.emplace([this](std::string_view service) { return find(service); }, _metrics.of({}));
    }
    void tearDown() override
    {
        _reads.reset();
        _database.reset();
    }

    TEST(readsNumbersByTheirKeys)
    {
        const std::array<std::string_view, 4> keys{"b", "none", R"(c"\,{})", "a"};
        std::array<std::int64_t, 4> numbers{9, 9, 9, 9};
        CHECK(_reads->read("crm", numbersByKey, keys, numbers));
        CHECK((numbers == std::array<std::int64_t, 4>{2, 0, 3, 1}));
    }

    TEST(answersAllThatWaitWithOneStatement)
    {
        constexpr int crowd = 20;
        // The first two statements wait until all others do.
        std::latch begun(crowd);
        _beforeStatement = [&begun] { begun.wait(); };
        std::vector<std::jthread> threads;
        for (int i = 0; i < crowd; ++i)
            threads.emplace_back(
                [&, i]
                {
                    host::data::RequestReads request;
                    const host::data::RequestReads::Scope scope(request, false);
                    const bool known = read(i % 2 == 0 ? "a" : "b").has_value();
                    std::promise<void> answered;
                    _reads->begin(request, [&answered] { answered.set_value(); });
                    begun.count_down();
                    answered.get_future().wait();
                    if (known || read(i % 2 == 0 ? "a" : "b") != 1 + i % 2) ++_wrong;
                });
        threads.clear();
        equal(0, _wrong.load());
        CPPUNIT_ASSERT_MESSAGE(std::to_string(_statements), _statements <= 3);
    }

    /// Also while the server stops and starts again.
    TEST(neverAnswersWithWhatIsOlder)
    {
        std::atomic<std::int64_t> committed{1};
        std::atomic<bool> ended{false};
        std::atomic<int> answers{0};
        std::vector<std::jthread> readers;
        for (int i = 0; i < 6; ++i)
            readers.emplace_back(
                [&]
                {
                    while (!ended)
                    {
                        const auto before = committed.load();
                        const auto found = tryRead("a");
                        if (found && *found < before) ++_wrong;
                        if (found) ++answers;
                    }
                });
        const auto write = [&](int times)
        {
            const auto enough = answers + times;
            while (answers < enough) try
                {
                    _database->transact([&](Transaction& transaction)
                                        { transaction.execute("UPDATE number SET value = $1 WHERE id = 'a'", committed + 1); });
                    ++committed;
                }
                catch (const DatabaseError&) // NOLINT(bugprone-empty-catch): whether it has taken effect is not known
                {
                }
        };
        write(300);
        PostgresServer::shared().kill();
        PostgresServer::shared().start();
        write(300);
        ended = true;
        readers.clear();
        equal(0, _wrong.load());
    }

    TEST(waitsForStatementsThatTakeLongerThanNumbersAreValid)
    {
        const std::string_view slow = "SELECT id, value FROM number, pg_sleep(1.2) WHERE id = ANY($1::text[])";
        const std::string_view key = "b";
        std::int64_t number = 0;
        CHECK(_reads->read("crm", slow, {&key, 1}, {&number, 1}));
        equal(2, number);
    }

    TEST(readsForAnEventLoopWithoutWaiting)
    {
        host::data::RequestReads request;
        {
            const host::data::RequestReads::Scope loop(request, false);
            CHECK(!read("a"));
            CHECK(request.wants() && request.refused());
        }
        equal(0, _statements.load());
        std::promise<void> answered;
        _reads->begin(request, [&answered] { answered.set_value(); });
        answered.get_future().wait();
        const host::data::RequestReads::Scope loop(request, false);
        CHECK(!request.wants() && !request.refused());
        equal(1, read("a").value());
        CHECK(!read("b")); // another key
        equal(1, _statements.load());
    }

    TEST(readsAgainAfterARequestHasWritten)
    {
        host::data::RequestReads request;
        const host::data::RequestReads::Scope scope(request, true);
        equal(1, read("a").value());
        _database->transact([](Transaction& transaction) { transaction.execute("UPDATE number SET value = 5 WHERE id = 'a'"); });
        equal(1, read("a").value()); // as of its arrival
        request.forget();
        equal(5, read("a").value());
        host::data::RequestReads next;
        const host::data::RequestReads::Scope nextScope(next, true);
        equal(5, read("a").value());
    }

    TEST(failsAllThatWaitTogether)
    {
        constexpr int crowd = 8;
        std::latch begun(crowd);
        _beforeStatement = [&begun]
        {
            begun.wait();
            throw DatabaseError(DatabaseError::Kind::Unavailable, "08006", {}, "gone");
        };
        std::atomic<int> failed{0};
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < crowd; ++i)
                threads.emplace_back(
                    [&]
                    {
                        host::data::RequestReads request;
                        request.want("crm", numbersByKey, std::array<std::string_view, 1>{"a"});
                        std::promise<void> answered;
                        _reads->begin(request, [&answered] { answered.set_value(); });
                        begun.count_down();
                        answered.get_future().wait();
                        const host::data::RequestReads::Scope scope(request, false);
                        if (fails()) ++failed;
                    });
        }
        equal(crowd, failed.load());
        _beforeStatement = {};
        equal(1, read("a").value());
        _missing = true;
        CHECK(fails()); // a service that is switched off
    }

    TEST(answersWhatWaitsAtTheEnd)
    {
        _reads->stop();
        CHECK(fails());
    }

    std::shared_ptr<Database> find(std::string_view)
    {
        ++_statements;
        if (_beforeStatement) _beforeStatement();
        return _missing ? nullptr : std::shared_ptr<Database>(std::shared_ptr<void>(), _database.get());
    }
    std::optional<std::int64_t> read(std::string_view key)
    {
        std::int64_t number = 0;
        const bool known = _reads->read("crm", numbersByKey, {&key, 1}, {&number, 1});
        return known ? std::optional(number) : std::nullopt;
    }
    std::optional<std::int64_t> tryRead(std::string_view key)
    try
    {
        return read(key);
    }
    catch (const DatabaseError&)
    {
        return std::nullopt;
    }
    bool fails()
    try
    {
        read("a");
        return false;
    }
    catch (const DatabaseError& error)
    {
        return error.kind() == DatabaseError::Kind::Unavailable;
    }

    TestDatabase _place{Dialect::PostgreSQL};
    std::unique_ptr<host::data::ServiceDatabase> _database;
    host::telemetry::MetricsRegistry _metrics;
    std::function<void()> _beforeStatement;
    std::atomic<int> _statements{0};
    std::atomic<int> _wrong{0};
    std::atomic<bool> _missing{false};
    std::optional<host::data::SharedReads> _reads;
};

} // namespace portico::tests
