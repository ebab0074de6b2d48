#include "support/Suite.h"

#include "host/telemetry/LogSink.h"
#include "host/telemetry/LogTail.h"

#include <boost/json/parse.hpp>

#include <array>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

using namespace host::telemetry;

class LogTailTest : public Suite<LogTailTest>
{
    TEST(keepsTheNewestRecords)
    {
        LogTail tail({});
        for (std::size_t i = 0; i < LogTail::maxRecords + 7; ++i) add(tail, std::to_string(i));
        const auto all = tail.read({}, 0, LogTail::maxRecords * 2).records;
        equal(LogTail::maxRecords, all.size());
        equal("7", message(all.front()));
    }

    TEST(keepsNoMoreBytesThanItMay)
    {
        LogTail tail({});
        for (std::size_t i = 0; i < LogTail::maxRecords; ++i) add(tail, std::string(LogTail::maxRecordBytes / 2, 'x'));
        CHECK(tail.bytes() <= LogTail::maxBytes);
        CHECK(tail.bytes() > LogTail::maxBytes / 2);
        // Memory of short records is counted separately from that of long ones.
        for (std::size_t i = 0; i < LogTail::maxRecords; ++i) add(tail, "x");
        CHECK(tail.bytes() < LogTail::maxBytes / 2);
        equal(LogTail::maxRecords, tail.read({}, 0, LogTail::maxRecords).records.size());
    }

    TEST(keepsTheBeginningOfALongRecord)
    {
        LogTail tail({});
        for (const std::string letter : {"x", "ü", "\x01", "\xff"})
        {
            std::string text;
            while (text.size() < LogTail::maxRecordBytes) text += letter;
            const std::array<LogRecord::Field, 2> fields = {{{"requestId", text}, {"value", text}}};
            tail.add({{}, LogLevel::Error, "crm", "", text, fields});
            const auto kept = tail.read({}, 0, 1).records.at(0);
            CHECK(kept.line.size() <= LogTail::maxRecordBytes);
            equal(0, message(kept).find(letter == "\xff" ? "ÿ" : letter));
            CHECK(!boost::json::parse(kept.line).as_object().contains("value"));
        }
    }

    TEST(filters)
    {
        LogTail tail({});
        const std::array<LogRecord::Field, 2> subject = {{{"service", "crm"}, {"requestId", "r2"}}};
        tail.add({{}, LogLevel::Debug, "crm", "r1", "a", {}});
        tail.add({{}, LogLevel::Error, "identity", "r1", "b", {}});
        tail.add({{}, LogLevel::Warning, "", "", "c", subject});
        tail.add({{}, LogLevel::Information, "", "", "d", {}});
        equal("abcd", read(tail, {}));
        equal("ac", read(tail, {.service = "crm"}));
        equal("d", read(tail, {.service = "host"}));
        equal("bc", read(tail, {.level = LogLevel::Warning}));
        equal("ab", read(tail, {.requestId = "r1"}));
        equal("c", read(tail, {.requestId = "r2"}));
        equal("", read(tail, {.service = "crm", .level = LogLevel::Error}));
    }

    TEST(goesOnWhereAReaderStopped)
    {
        LogTail tail({});
        add(tail, "a");
        auto page = tail.read({}, 0, 10);
        equal(1, page.records.size());
        for (const char* text : {"b", "c", "d"}) add(tail, text);
        page = tail.read({}, page.next, 2);
        equal("b", message(page.records.at(0)));
        page = tail.read({}, page.next, 2);
        equal("d", message(page.records.at(0)));
        const auto nothing = tail.read({}, page.next, 2);
        CHECK(nothing.records.empty() && nothing.next == page.next && nothing.missed == 0);
        // Records that match no filter are skipped once.
        add(tail, "e");
        const auto passed = tail.read({.service = "nobody"}, page.next, 2);
        CHECK(passed.records.empty() && passed.next == page.next + 1);
        for (std::size_t i = 0; i < LogTail::maxRecords + 3; ++i) add(tail, "x");
        equal(3, tail.read({}, passed.next, 2).missed);
    }

    TEST(numbersRiseOverRestarts)
    {
        LogTail before(fromMillis(1'000));
        LogTail after(fromMillis(2'000));
        add(before, "a");
        add(after, "b");
        const auto last = before.read({}, 0, 1).next;
        equal("b", message(after.read({}, last, 1).records.at(0)));
        // A clock that was put back.
        equal("a", message(before.read({}, after.read({}, 0, 1).next, 1).records.at(0)));
    }

    TEST(takesRecordsOfManyThreads)
    {
        LogTail tail({});
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back(
                [&]
                {
                    for (int j = 0; j < 500; ++j) add(tail, "x"), tail.read({}, 0, 3);
                });
        threads.clear();
        const auto all = tail.read({}, 0, 5'000).records;
        equal(2'000, all.size());
        for (std::size_t i = 1; i < all.size(); ++i) equal(all[i - 1].number + 1, all[i].number);
    }

    static void add(LogTail& tail, const std::string& text) { tail.add({{}, LogLevel::Information, "crm", "", text, {}}); }
    static std::string message(const KeptRecord& record) { return std::string(boost::json::parse(record.line).at("message").as_string()); }
    static std::string read(const LogTail& tail, const LogTail::Filter& filter)
    {
        std::string texts;
        for (const auto& record : tail.read(filter, 0, 10).records) texts += message(record);
        return texts;
    }
};

} // namespace portico::tests
