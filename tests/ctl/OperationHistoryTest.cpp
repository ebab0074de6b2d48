#include "ctl/TemporaryDirectory.h"
#include "support/Suite.h"

#include "host/admin/OperationHistory.h"

#include <boost/json.hpp>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <sys/resource.h>
#include <vector>

namespace portico::test
{

using namespace host;
using admin::OperationHistory;
using portico::testing::equal;
using portico::testing::Suite;

namespace
{

/// Keeps the texts of what is logged.
class Memory final : public Logger
{
public:
    void write(LogLevel, std::string_view text, Fields) override { texts.emplace_back(text); }
    bool enabled(LogLevel) const noexcept override { return true; }

    std::vector<std::string> texts;
};

plugins::OperationResult operation(std::string command, std::string service = {}, std::string by = "anna (uid 1000, pid 7)")
{
    plugins::OperationResult result;
    // Numbers of the lifecycle restart with the daemon.
    result.id = 1;
    result.command = std::move(command);
    result.serviceId = std::move(service);
    result.requestedBy = std::move(by);
    result.succeeded = true;
    return result;
}

std::string contentOf(const std::filesystem::path& file)
{
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return std::move(text).str();
}

} // namespace

/// Changes with their caller, over restarts.
class OperationHistoryTest : public Suite<OperationHistoryTest>
{
    TEST(isThereAfterARestart)
    {
        {
            OperationHistory history(_file, _log);
            equal(1, history.add(operation("enable", "crm"), fromMillis(1000)).at("id").as_int64());
            equal(2, history.add(operation("stop"), fromMillis(2000)).at("id").as_int64());
        }
        OperationHistory history(_file, _log);
        equal(3, history.add(operation("start-all"), fromMillis(3000)).at("id").as_int64());
        const auto all = history.list(10, {});
        equal(3, all.size());
        CHECK(all.at(0).at("command") == "start-all");
        CHECK(all.at(2).at("command") == "enable");
        CHECK(all.at(2).at("requestedBy") == "anna (uid 1000, pid 7)");
        CHECK(all.at(2).at("endedAt") == "1970-01-01T00:00:01.000Z");
        CHECK(_log.texts.empty());
    }

    TEST(isAskedForOneServiceAndSoMany)
    {
        OperationHistory history(_file, _log, {.remembered = 4, .lines = 100});
        for (const auto* service : {"crm", "identity", "crm", "identity", "crm"}) history.add(operation("reload", service), fromMillis(0));
        equal(4, history.list(10, {}).size());
        equal(2, history.list(10, "crm").size());
        CHECK(history.list(1, "crm").at(0).at("id") == 5);
        CHECK(history.list(10, "nobody").empty());
    }

    TEST(linesThatAreNoneArePassedOver)
    {
        _directory.write("operations.log", "no json\n{\"id\":\"seven\"}\n[1]\n\n{\"id\":41,\"command\":\"reload\"}\n");
        OperationHistory history(_file, _log);
        equal(1, history.list(10, {}).size());
        CHECK(history.list(10, "crm").empty());
        equal(42, history.add(operation("stop"), fromMillis(0)).at("id").as_int64());
    }

    TEST(dropsTheOlderHalf)
    {
        OperationHistory history(_file, _log, {.remembered = 3, .lines = 10});
        for (int i = 0; i < 11; ++i) history.add(operation("reload"), fromMillis(i));
        const auto text = contentOf(_file);
        equal(5, std::count(text.begin(), text.end(), '\n'));
        CPPUNIT_ASSERT_MESSAGE(text, text.starts_with("{\"id\":7,"));
        history.add(operation("reload"), fromMillis(0));
        // One that is too long already is shortened where it is read.
        const OperationHistory again(_file, _log, {.remembered = 3, .lines = 4});
        CPPUNIT_ASSERT_MESSAGE(contentOf(_file), contentOf(_file).starts_with("{\"id\":11,"));
        CHECK(again.list(10, {}).at(0).at("id") == 12);
        CHECK(_log.texts.empty());
    }

    TEST(failedWriteIsLogged)
    {
        OperationHistory history(_directory.path() / "absent" / "operations.log", _log);
        CHECK(history.add(operation("reload"), fromMillis(0)).at("id") == 1);
        equal(1, history.list(10, {}).size());
        equal("an operation could not be written down", _log.texts.at(0));
    }

    TEST(aFullDiskLeavesNoHalfLine)
    {
        OperationHistory history(_file, _log);
        history.add(operation("enable"), fromMillis(0));
        const auto before = contentOf(_file);
        const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlimit tight{before.size() + 10, limit.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &tight);
        history.add(operation("disable"), fromMillis(0));
        ::setrlimit(RLIMIT_FSIZE, &limit);
        std::signal(SIGXFSZ, ignored);
        equal("an operation could not be written down", _log.texts.at(0));
        equal(before, contentOf(_file));
        history.add(operation("reload"), fromMillis(0));
        const OperationHistory again(_file, _log);
        equal(2, again.list(10, {}).size());
        CHECK(again.list(10, {}).at(0).at("command") == "reload");
    }

    TEST(deviceFileIsNotRead)
    {
        // It would never end.
        const OperationHistory history("/dev/zero", _log);
        CHECK(history.list(10, {}).empty());
    }

    TEST(isPrivate)
    {
        OperationHistory history(_file, _log, {.remembered = 3, .lines = 2});
        for (int i = 0; i < 4; ++i)
        {
            history.add(operation("reload"), fromMillis(0));
            const auto mode = std::filesystem::status(_file).permissions();
            CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
        }
    }

    TemporaryDirectory _directory;
    const std::filesystem::path _file = _directory.path() / "operations.log";
    Memory _log;
};

} // namespace portico::test
