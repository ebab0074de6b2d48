#include "testing/NotesPlugin.h"

#include "portico/testing/TestHost.h"

#include <cppunit/extensions/HelperMacros.h>

#include <memory>
#include <stdexcept>

namespace portico::tests
{

using namespace std::chrono_literals;
using portico::testing::keyOf;
using portico::testing::TestHost;
using portico::testing::TestSettings;
using portico::testing::userOf;

class TestHostTest : public CppUnit::TestFixture
{
    CPPUNIT_TEST_SUITE(TestHostTest);
    CPPUNIT_TEST(callsHandlers);
    CPPUNIT_TEST(literalsWinOverParameters);
    CPPUNIT_TEST(answersProblems);
    CPPUNIT_TEST(checksAccess);
    CPPUNIT_TEST(recordsWhatACommitLeft);
    CPPUNIT_TEST(recordsNothingOfARollback);
    CPPUNIT_TEST(runsJobsOnDemand);
    CPPUNIT_TEST(failedJobsWaitForTheClock);
    CPPUNIT_TEST(deliversEvents);
    CPPUNIT_TEST(playsOtherPlugins);
    CPPUNIT_TEST(stopsThePlugin);
    CPPUNIT_TEST(throwsOfAStartComeOut);
    CPPUNIT_TEST(saysWhatIsMissing);
    CPPUNIT_TEST(blobsHaveAQuota);
    CPPUNIT_TEST(readsStreams);
    CPPUNIT_TEST_SUITE_END();

public:
    void callsHandlers()
    {
        TestHost host(settings(), make);
        auto created = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CPPUNIT_ASSERT_EQUAL(201, created.status);
        const auto id = idIn(created.body);
        auto shown = host.call(Method::Get, "/api/notes/" + id, "", _reader);
        CPPUNIT_ASSERT_EQUAL(200, shown.status);
        CPPUNIT_ASSERT_EQUAL(R"({"id":")" + id + R"(","text":"hello"})", shown.body);
        CPPUNIT_ASSERT_EQUAL(204, host.call(Method::Delete, "/api/notes/" + id, "", _writer).status);
        CPPUNIT_ASSERT_EQUAL(404, host.call(Method::Get, "/api/notes/" + id, "", _reader).status);
    }

    void literalsWinOverParameters()
    {
        TestHost host(settings(), make);
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"count":0})"), host.call(Method::Get, "/api/notes/count").body);
    }

    void answersProblems()
    {
        TestHost host(settings(), make);
        const auto invalid = host.call(Method::Post, "/api/notes", R"({"text":""})", _writer);
        CPPUNIT_ASSERT_EQUAL(400, invalid.status);
        CPPUNIT_ASSERT_EQUAL(std::string("application/problem+json"), invalid.contentType);
        CPPUNIT_ASSERT(invalid.body.find("\"code\":\"validation_failed\"") != std::string::npos);
        CPPUNIT_ASSERT_EQUAL(404, host.call(Method::Get, "/nowhere").status);
        CPPUNIT_ASSERT_EQUAL(405, host.call(Method::Patch, "/api/notes", "{}", _writer).status);
    }

    void checksAccess()
    {
        TestHost host(settings(), make);
        const std::string path = "/api/notes/nte_01jd0000000000000000000000";
        CPPUNIT_ASSERT_EQUAL(401, host.call(Method::Get, path).status);
        CPPUNIT_ASSERT_EQUAL(403, host.call(Method::Get, path, "", userOf("org_1", {"notes.notes:write"})).status);
        CPPUNIT_ASSERT_EQUAL(403, host.call(Method::Get, path, "", keyOf("org_1", {"notes.notes:read"}, {})).status);
        CPPUNIT_ASSERT_EQUAL(404, host.call(Method::Get, path, "", keyOf("org_1", {"notes.notes:read"}, {"notes.read"})).status);
        CPPUNIT_ASSERT_EQUAL(403,
                             host.call(Method::Post, "/api/notes", "{}", keyOf("org_1", {"notes.notes:write"}, {"notes.read"})).status);
    }

    void recordsWhatACommitLeft()
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        auto& context = host.context();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, context.jobs().waiting("index").size());
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, context.events().published("notes.created").size());
        CPPUNIT_ASSERT_EQUAL(std::string("org_1"), context.events().published().at(0).organizationId);
        CPPUNIT_ASSERT_EQUAL(std::string("hello"), context.mailer().sentTo("user@test.example").at(0).text);
        CPPUNIT_ASSERT_EQUAL(1.0, context.metrics().counted("created_total", {{"by", "user"}}));
        CPPUNIT_ASSERT_EQUAL(0.0, context.metrics().counted("created_total", {{"by", "agent"}}));
    }

    void recordsNothingOfARollback()
    {
        TestHost host(settings(), make);
        CPPUNIT_ASSERT_EQUAL(409, host.call(Method::Post, "/api/notes", R"({"text":"roll back"})", _writer).status);
        CPPUNIT_ASSERT(host.context().jobs().waiting().empty());
        CPPUNIT_ASSERT(host.context().events().published().empty());
        CPPUNIT_ASSERT(host.context().mailer().sent().empty());
    }

    void runsJobsOnDemand()
    {
        TestHost host(settings(), make);
        const auto id = idIn(host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).body);
        host.context().http().respond(200);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host.context().jobs().runDue());
        CPPUNIT_ASSERT_EQUAL("https://index.example/" + id, host.context().http().requests().at(0).url);
        CPPUNIT_ASSERT(host.context().jobs().waiting().empty());
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, host.context().jobs().runDue());
    }

    void failedJobsWaitForTheClock()
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        auto& jobs = host.context().jobs();
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.runDue()); // nobody answers
        CPPUNIT_ASSERT_EQUAL(1, jobs.waiting().at(0).attempts);
        host.context().http().respond(503);
        for (int i = 0; i < 7; ++i)
        {
            host.context().clock().advance(2h);
            CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.runDue());
        }
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, jobs.deadLetters());
        CPPUNIT_ASSERT_EQUAL(std::size_t{8}, jobs.failures().size());
        CPPUNIT_ASSERT_EQUAL(std::string("the index is closed"), jobs.failures().back());
    }

    void deliversEvents()
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        Event event;
        event.type = "user.deleted";
        event.organizationId = "org_1";
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host.context().events().deliver(event));
        CPPUNIT_ASSERT_EQUAL(std::string(R"({"count":0})"), host.call(Method::Get, "/api/notes/count").body);
        event.type = "users.deleted";
        CPPUNIT_ASSERT_EQUAL(std::size_t{0}, host.context().events().deliver(event));
    }

    void playsOtherPlugins()
    {
        class Shouting final : public notes::Dictionary
        {
        public:
            std::string translate(const std::string& word) override { return word + "!"; }
        } shouting;
        TestHost host(settings(), make);
        host.context().services().offer<notes::Dictionary>(shouting);
        const auto loud = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CPPUNIT_ASSERT(loud.body.find("hello!") != std::string::npos);
        host.context().services().withdraw(notes::Dictionary::interfaceName);
        const auto plain = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CPPUNIT_ASSERT(plain.body.find("hello!") == std::string::npos);
    }

    void stopsThePlugin()
    {
        class Stopping final : public Plugin
        {
        public:
            explicit Stopping(int& stops) : _stops(stops) {}
            void declare(Routes&) override {}
            void stop() noexcept override { ++_stops; }

        private:
            int& _stops;
        };
        int stops = 0;
        {
            const TestHost host(settings(), [&](PluginContext&) { return std::make_unique<Stopping>(stops); });
            CPPUNIT_ASSERT_EQUAL(0, stops);
        }
        CPPUNIT_ASSERT_EQUAL(1, stops);
    }

    void throwsOfAStartComeOut()
    {
        class Failing final : public Plugin
        {
        public:
            void start() override { throw std::runtime_error("no licence"); }
            void declare(Routes&) override {}
        };
        CPPUNIT_ASSERT_THROW(TestHost(settings(), [](PluginContext&) { return std::make_unique<Failing>(); }), std::runtime_error);
    }

    void saysWhatIsMissing()
    {
        TestSettings bare;
        bare.serviceId = "notes";
        CPPUNIT_ASSERT_THROW(TestHost(bare, make), std::logic_error); // its start wants jobs
        CPPUNIT_ASSERT_THROW(testing::TestContext(bare).config().text("notes.limit"), std::out_of_range);
        bare.migrations = "/nowhere";
        CPPUNIT_ASSERT_THROW(TestHost(bare, make), std::runtime_error);
    }

    void blobsHaveAQuota()
    {
        auto limited = settings();
        limited.blobQuotaBytesPerScope = 5;
        testing::TestContext context(limited);
        const auto key = context.blobs().store("org_1", "12345");
        CPPUNIT_ASSERT_EQUAL(std::string("12345"), context.blobs().text(key).value());
        CPPUNIT_ASSERT_THROW(context.blobs().store("org_1", "6"), Problem);
    }

    void readsStreams()
    {
        class Counting final : public BodySource
        {
        public:
            bool read(std::string& out, std::size_t) override
            {
                out += std::to_string(++_pieces);
                return _pieces < 3;
            }

        private:
            int _pieces = 0;
        };
        Response response;
        response.source = std::make_unique<Counting>();
        CPPUNIT_ASSERT_EQUAL(std::string("123"), TestHost::bodyOf(response));
    }

private:
    static TestSettings settings()
    {
        TestSettings settings;
        settings.serviceId = "notes";
        settings.migrations = NOTES_MIGRATIONS;
        return settings;
    }
    static std::unique_ptr<Plugin> make(PluginContext& context) { return std::make_unique<notes::NotesPlugin>(context); }
    static std::string idIn(const std::string& body) { return body.substr(body.find("nte_"), 30); }

    const Caller _writer = userOf("org_1", {"notes.notes:read", "notes.notes:write"});
    const Caller _reader = userOf("org_1", {"notes.notes:read"});
};

CPPUNIT_TEST_SUITE_REGISTRATION(TestHostTest);

} // namespace portico::tests
