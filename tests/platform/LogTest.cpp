#include "platform/TestClock.h"

#include "host/telemetry/LogSink.h"
#include "host/telemetry/Tracer.h"

#include <boost/json/parse.hpp>
#include <cppunit/extensions/HelperMacros.h>
#include <portico/system/HostRequest.h>

#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace portico::tests
{

using namespace host::telemetry;

class LogTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(LogTest);
    CPPUNIT_TEST(writesTextLines);
    CPPUNIT_TEST(aRecordNeverLooksLikeTwo);
    CPPUNIT_TEST(writesJson);
    CPPUNIT_TEST(jsonFieldsDoNotReplaceItsOwn);
    CPPUNIT_TEST(theHostNamesWhomItSpeaksOf);
    CPPUNIT_TEST(escapesBrokenUtf8);
    CPPUNIT_TEST(obeysTheLevel);
    CPPUNIT_TEST(prefixesForJournald);
    CPPUNIT_TEST(carriesTheRequestOfItsThread);
    CPPUNIT_TEST_SUITE_END();

public:
    void setUp() override { CPPUNIT_ASSERT_EQUAL(0, ::pipe2(_pipe.data(), O_CLOEXEC | O_NONBLOCK)); }
    void tearDown() override
    {
        ::close(_pipe[0]);
        ::close(_pipe[1]);
    }

    void writesTextLines()
    {
        auto sink = makeSink({});
        ServiceLogger logger(sink, "crm");
        logger.information("contact imported", {{"rows", "12"}, {"file", "my contacts.csv"}, {"empty", ""}});
        CPPUNIT_ASSERT_EQUAL(
            std::string("2026-11-21T09:00:00.000Z information crm contact imported rows=12 file=\"my contacts.csv\" empty=\"\"\n"),
            written());
    }

    void aRecordNeverLooksLikeTwo()
    {
        for (const auto format : {LogFormat::Text, LogFormat::Json})
        {
            const std::array<LogRecord::Field, 1> fields = {{{"a\nb", "c\r\n2026 error host forged\x1b[2J\x7f"}}};
            const auto line = formatLine({{}, LogLevel::Error, "s\nx", "r\n1", "text\nmore\xC2\x85", fields}, format);
            CPPUNIT_ASSERT_EQUAL(line.size() - 1, line.find_first_of("\n\r\x1b\x7f"));
            CPPUNIT_ASSERT(line.find("\xC2\x85") == std::string::npos);
        }
    }

    void writesJson()
    {
        const std::array<LogRecord::Field, 1> fields = {{{"quote\"", "tab\t \\ ü"}}};
        const auto object =
            boost::json::parse(formatLine({fromMillis(0), LogLevel::Warning, "", "req", "text", fields}, LogFormat::Json)).as_object();
        CPPUNIT_ASSERT_EQUAL(std::string("1970-01-01T00:00:00.000Z"), text(object, "time"));
        CPPUNIT_ASSERT_EQUAL(std::string("warning"), text(object, "level"));
        CPPUNIT_ASSERT_EQUAL(std::string("host"), text(object, "service"));
        CPPUNIT_ASSERT_EQUAL(std::string("req"), text(object, "requestId"));
        CPPUNIT_ASSERT_EQUAL(std::string("tab\t \\ ü"), text(object, "quote\""));
    }

    void jsonFieldsDoNotReplaceItsOwn()
    {
        const std::array<LogRecord::Field, 2> fields = {{{"level", "mine"}, {"message", "forged"}}};
        const auto object = boost::json::parse(formatLine({{}, LogLevel::Error, "crm", "", "real", fields}, LogFormat::Json)).as_object();
        CPPUNIT_ASSERT_EQUAL(std::string("error"), text(object, "level"));
        CPPUNIT_ASSERT_EQUAL(std::string("real"), text(object, "message"));
        CPPUNIT_ASSERT_EQUAL(std::string("mine"), text(object, "field_level"));
    }

    void theHostNamesWhomItSpeaksOf()
    {
        const std::array<LogRecord::Field, 3> fields = {{{"requestId", "r1"}, {"service", "crm"}, {"status", "500"}}};
        CPPUNIT_ASSERT_EQUAL(std::string("1970-01-01T00:00:00.000Z warning crm request requestId=r1 status=500\n"),
                             formatLine({fromMillis(0), LogLevel::Warning, "", "", "request", fields}, LogFormat::Text));
        const auto object =
            boost::json::parse(formatLine({fromMillis(0), LogLevel::Warning, "", "r1", "request", fields}, LogFormat::Json)).as_object();
        CPPUNIT_ASSERT_EQUAL(std::size_t{6}, object.size());
        CPPUNIT_ASSERT_EQUAL(std::string("crm"), text(object, "service"));
        // A service cannot speak in another's name.
        const auto own = boost::json::parse(formatLine({{}, LogLevel::Error, "social", "", "x", fields}, LogFormat::Json)).as_object();
        CPPUNIT_ASSERT_EQUAL(std::string("social"), text(own, "service"));
    }

    void escapesBrokenUtf8()
    {
        for (const std::string broken : {"\xff", "\xc3", "\xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf5\x80\x80\x80", "a\x80z"})
        {
            boost::system::error_code error;
            boost::json::parse(formatLine({{}, LogLevel::Error, "crm", "", broken, {}}, LogFormat::Json), error);
            CPPUNIT_ASSERT_MESSAGE(broken, !error);
        }
    }

    void obeysTheLevel()
    {
        auto sink = makeSink({.level = LogLevel::Warning});
        ServiceLogger logger(sink, "crm");
        logger.information("not this");
        CPPUNIT_ASSERT(!logger.enabled(LogLevel::Information));
        sink.setLevel(LogLevel::Debug);
        logger.debug("but this");
        CPPUNIT_ASSERT_EQUAL(std::string("2026-11-21T09:00:00.000Z debug crm but this\n"), written());
    }

    void prefixesForJournald()
    {
        auto sink = makeSink({.priorityPrefix = true});
        ServiceLogger(sink, "crm").error("x");
        CPPUNIT_ASSERT_EQUAL(std::string("<3>2026"), written().substr(0, 7));
    }

    void carriesTheRequestOfItsThread()
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
        CPPUNIT_ASSERT_EQUAL(start + "one requestId=inner\n" + start + "two requestId=outer\n" + start + "three\n", written());
    }

private:
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

CPPUNIT_TEST_SUITE_REGISTRATION(LogTest);

} // namespace portico::tests
