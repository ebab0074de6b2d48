#include "platform/TestClock.h"
#include "support/Suite.h"

#include "host/telemetry/LogSink.h"
#include "host/telemetry/Tracer.h"

#include <boost/json/parse.hpp>
#include <portico/system/HostRequest.h>

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace portico::tests
{

using namespace host::telemetry;

class LogTest : public Suite<LogTest>
{
    void setUp() override { equal(0, ::pipe2(_pipe.data(), O_CLOEXEC | O_NONBLOCK)); }
    void tearDown() override
    {
        ::close(_pipe[0]);
        ::close(_pipe[1]);
    }

    TEST(writesTextLines)
    {
        auto sink = makeSink({});
        ServiceLogger logger(sink, "crm");
        logger.information("contact imported", {{"rows", "12"}, {"file", "my contacts.csv"}, {"empty", ""}});
        equal("2026-11-21T09:00:00.000Z information crm contact imported rows=12 file=\"my contacts.csv\" empty=\"\"\n", written());
    }

    TEST(aRecordNeverLooksLikeTwo)
    {
        for (const auto format : {LogFormat::Text, LogFormat::Json})
        {
            const std::array<LogRecord::Field, 1> fields = {{{"a\nb", "c\r\n2026 error host forged\x1b[2J\x7f"}}};
            const auto line = formatLine({{}, LogLevel::Error, "s\nx", "r\n1", "text\nmore\xC2\x85", fields}, format);
            equal(line.size() - 1, line.find_first_of("\n\r\x1b\x7f"));
            CHECK(line.find("\xC2\x85") == std::string::npos);
        }
    }

    TEST(writesJson)
    {
        const std::array<LogRecord::Field, 1> fields = {{{"quote\"", "tab\t \\ ü"}}};
        const auto object =
            boost::json::parse(formatLine({fromMillis(0), LogLevel::Warning, "", "req", "text", fields}, LogFormat::Json)).as_object();
        equal("1970-01-01T00:00:00.000Z", text(object, "time"));
        equal("warning", text(object, "level"));
        equal("host", text(object, "service"));
        equal("req", text(object, "requestId"));
        equal("tab\t \\ ü", text(object, "quote\""));
    }

    TEST(jsonFieldsDoNotReplaceItsOwn)
    {
        const std::array<LogRecord::Field, 2> fields = {{{"level", "mine"}, {"message", "forged"}}};
        const auto object = boost::json::parse(formatLine({{}, LogLevel::Error, "crm", "", "real", fields}, LogFormat::Json)).as_object();
        equal("error", text(object, "level"));
        equal("real", text(object, "message"));
        equal("mine", text(object, "field_level"));
    }

    TEST(theHostNamesWhomItSpeaksOf)
    {
        const std::array<LogRecord::Field, 3> fields = {{{"requestId", "r1"}, {"service", "crm"}, {"status", "500"}}};
        equal("1970-01-01T00:00:00.000Z warning crm request requestId=r1 status=500\n",
              formatLine({fromMillis(0), LogLevel::Warning, "", "", "request", fields}, LogFormat::Text));
        const auto object =
            boost::json::parse(formatLine({fromMillis(0), LogLevel::Warning, "", "r1", "request", fields}, LogFormat::Json)).as_object();
        equal(6, object.size());
        equal("crm", text(object, "service"));
        // A service cannot speak in another's name.
        const auto own = boost::json::parse(formatLine({{}, LogLevel::Error, "social", "", "x", fields}, LogFormat::Json)).as_object();
        equal("social", text(own, "service"));
    }

    TEST(escapesBrokenUtf8)
    {
        for (const std::string broken : {"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80", "a\x80z"})
        {
            boost::system::error_code error;
            boost::json::parse(formatLine({{}, LogLevel::Error, "crm", "", broken, {}}, LogFormat::Json), error);
            CPPUNIT_ASSERT_MESSAGE(broken, !error);
        }
    }

    TEST(obeysTheLevel)
    {
        auto sink = makeSink({.level = LogLevel::Warning});
        ServiceLogger logger(sink, "crm");
        logger.information("not this");
        CHECK(!logger.enabled(LogLevel::Information));
        sink.setLevel(LogLevel::Debug);
        logger.debug("but this");
        equal("2026-11-21T09:00:00.000Z debug crm but this\n", written());
    }

    TEST(prefixesForJournald)
    {
        auto sink = makeSink({.priorityPrefix = true});
        ServiceLogger(sink, "crm").error("x");
        equal("<3>2026", written().substr(0, 7));
    }

    TEST(carriesTheRequestOfItsThread)
    {
        auto sink = makeSink({});
        ServiceLogger logger(sink, "crm");
        {
            system::HostRequest outer;
            outer.requestId = "outer";
            const host::telemetry::ActiveSpan noTrace;
            const host::telemetry::RequestContext outerContext(outer, noTrace);
            {
                system::HostRequest inner;
                inner.requestId = "inner";
                const host::telemetry::RequestContext innerContext(inner, noTrace);
                logger.error("one");
            }
            logger.error("two");
        }
        logger.error("three");
        const std::string start = "2026-11-21T09:00:00.000Z error crm ";
        equal(start + "one requestId=inner\n" + start + "two requestId=outer\n" + start + "three\n", written());
    }

    LogSink makeSink(LogSettings settings)
    {
        settings.descriptor = _pipe[1];
        return LogSink(_clock, settings);
    }
    std::string written() const
    {
        std::array<char, 4'096> buffer{};
        const auto size = ::read(_pipe[0], buffer.data(), buffer.size());
        return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
    }
    static std::string text(const boost::json::object& object, std::string_view name) { return std::string(object.at(name).as_string()); }

    TestClock _clock;
    std::array<int, 2> _pipe{};
};

} // namespace portico::tests
