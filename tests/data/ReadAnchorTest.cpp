#include "support/Suite.h"
#include "support/TestDatabase.h"

#include "host/data/ReadAnchor.h"

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

namespace portico::tests
{

namespace
{

using host::data::ReadAnchor;

constexpr int enoughReads = 64;

void readOften(ReadAnchor& anchor)
{
    for (int i = 0; i < enoughReads; ++i) anchor.readEnded();
}

} // namespace

/// The connection that keeps the readers' mark locked while no writer is active (ReadAnchor).
class ReadAnchorTest : public Suite<ReadAnchorTest>
{
    void setUp() override
    {
        _database = _place.open();
        _database->transact([](Transaction& t) { t.execute("CREATE TABLE item (id BIGINT PRIMARY KEY, note TEXT)"); });
    }

    TEST(holdsAfterEnoughReads)
    {
        ReadAnchor anchor(file().string());
        for (int i = 1; i < enoughReads; ++i) anchor.readEnded();
        CHECK(!anchor.isHeld());
        anchor.readEnded();
        CHECK(anchor.isHeld());
    }

    TEST(letsGoBeforeAWriter)
    {
        ReadAnchor anchor(file().string());
        readOften(anchor);
        anchor.writeBegins();
        CHECK(!anchor.isHeld());
        readOften(anchor);
        CHECK(!anchor.isHeld());
        anchor.writeEnded();
        readOften(anchor);
        CHECK(anchor.isHeld());
    }

    TEST(waitsForTheLastWriter)
    {
        ReadAnchor anchor(file().string());
        anchor.writeBegins();
        anchor.writeBegins();
        anchor.writeEnded();
        readOften(anchor);
        CHECK(!anchor.isHeld());
        anchor.writeEnded();
        readOften(anchor);
        CHECK(anchor.isHeld());
    }

    TEST(doesWithoutAFile)
    {
        ReadAnchor anchor((_place.settings.directory / "none" / "none.db").string());
        readOften(anchor);
        CHECK(!anchor.isHeld());
        anchor.writeBegins();
        anchor.writeEnded();
    }

    TEST(neverShowsWhatIsOld)
    {
        for (int round = 1; round <= 5; ++round)
        {
            for (int i = 0; i < enoughReads; ++i) equal(round - 1, count());
            CHECK(_database->anchored());
            _database->transact([&](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", round); });
            CHECK(!_database->anchored());
        }
    }

    /// A mark that stays held keeps SQLite from writing over the log from its beginning.
    TEST(letsTheLogStartOver)
    {
        const std::string large(20'000, 'x');
        std::uintmax_t largest = 0;
        for (int round = 1; round <= 1'200; ++round)
        {
            for (int i = 0; round % 40 == 0 && i < enoughReads; ++i) count();
            _database->transact(
                [&](Transaction& t)
                { t.execute("INSERT INTO item (id, note) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET note = $2", 1, large); });
            if (round == 600) largest = logSize();
        }
        CHECK(largest > 0);
        CPPUNIT_ASSERT_MESSAGE(std::to_string(logSize()), logSize() <= largest + largest / 2);
    }

    TEST(readsBesideWriters)
    {
        std::atomic<bool> done{false};
        std::atomic<int> written{0};
        std::vector<std::jthread> readers;
        std::atomic<int> stale{0};
        for (int i = 0; i < 3; ++i)
            readers.emplace_back(
                [&]
                {
                    while (!done)
                    {
                        const int before = written;
                        if (count() < before) ++stale;
                    }
                });
        for (int id = 1; id <= 200; ++id)
        {
            _database->transact([&](Transaction& t) { t.execute("INSERT INTO item (id) VALUES ($1)", id); });
            written = id;
        }
        done = true;
        readers.clear();
        equal(0, stale.load());
        equal(200, count());
    }

    std::filesystem::path file() const { return _place.settings.directory / (_database->serviceId() + ".db"); }
    std::uintmax_t logSize() const { return std::filesystem::file_size(file().string() + "-wal"); }
    int count() { return *_database->session().value<int>("SELECT count(*) FROM item"); }

    TestDatabase _place{Dialect::SQLite};
    std::unique_ptr<host::data::ServiceDatabase> _database;
};

} // namespace portico::tests
