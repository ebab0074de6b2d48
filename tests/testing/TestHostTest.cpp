#include "testing/NotesPlugin.h"

#include "portico/testing/TestHost.h"

#include <boost/json.hpp>
#include <cppunit/extensions/HelperMacros.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
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
    CPPUNIT_TEST(takesTheManifestsDefaults);
    CPPUNIT_TEST(refusesWhatAHostWouldNotLoad);
    CPPUNIT_TEST(looksForWhatTheManifestListsOnly);
    CPPUNIT_TEST(aNarrowedKeyReachesNoOtherResource);
    CPPUNIT_TEST(looksIntoAnswers);
    CPPUNIT_TEST(requestsComeFromSomewhere);
    CPPUNIT_TEST(asksThePluginWhoCalls);
    CPPUNIT_TEST(readsSettingsAsAHost);
    CPPUNIT_TEST(reloads);
    CPPUNIT_TEST(aReloadThatFailsComesOut);
    CPPUNIT_TEST(theStateStoreMayBeFull);
    CPPUNIT_TEST(hostsShareNothing);
    CPPUNIT_TEST(aSchemaIsEmptiedForTheNextTest);
    CPPUNIT_TEST(nothingIsLeftOfAFailedStart);
    CPPUNIT_TEST_SUITE_END();

public:
    void callsHandlers()
    {
        TestHost host(settings(), make);
        auto created = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CPPUNIT_ASSERT_EQUAL(201, created.status);
        const auto id = created.at("/id");
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
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
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
            const ManifestFolder simple(withoutKeys);
            const TestHost host(simple.settings(), [&](PluginContext&) { return std::make_unique<Stopping>(stops); });
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
        const ManifestFolder bare([](boost::json::object& manifest) { manifest.at("plugin").as_object().erase("migrations"); });
        CPPUNIT_ASSERT_THROW(TestHost(bare.settings(), make), std::logic_error); // its start wants jobs
        CPPUNIT_ASSERT_THROW(testing::TestContext(settings()).config().text("notes.colour"), std::out_of_range);
        const ManifestFolder elsewhere([](boost::json::object& manifest)
                                       { manifest.at("plugin").at("migrations").as_object()["dir"] = "nowhere"; });
        assertRefused(elsewhere, "plugin.migrations: expected a folder");
    }

    void takesTheManifestsDefaults()
    {
        auto chosen = settings();
        CPPUNIT_ASSERT_EQUAL(std::int64_t{7}, testing::TestContext(chosen).config().integer("notes.limit"));
        CPPUNIT_ASSERT_EQUAL(std::string("1.0.0"), testing::TestContext(chosen).host().serviceVersion);
        chosen.config = {{"notes.limit", "3"}};
        CPPUNIT_ASSERT_EQUAL(std::int64_t{3}, testing::TestContext(chosen).config().integer("notes.limit"));
        chosen.config = {{"notes.limits", "3"}};
        CPPUNIT_ASSERT_THROW(testing::TestContext{chosen}, std::runtime_error);
    }

    /// What passes a test is loaded: as in a host, each of these is refused before anything is called.
    void refusesWhatAHostWouldNotLoad()
    {
        assertRefused(ManifestFolder([](auto& manifest) { manifest["permissions"].as_array().pop_back(); }),
                      "POST /api/notes: expected a permission that the manifest lists, found 'notes.notes:write'");
        assertRefused(ManifestFolder([](auto& manifest) { manifest["apiKeyScopes"].as_array()[0].as_object()["scope"] = "note.read"; }),
                      "GET /api/notes/{id}: expected a scope that the manifest lists, found 'notes.read': did you mean 'note.read'?");
        assertRefused(
            ManifestFolder([](auto& manifest) { manifest["apiKeyScopes"].as_array()[0].as_object()["bindable"] = boost::json::array(); }),
            "GET /api/notes/{id}: it binds 'note'");
        assertRefused(ManifestFolder(
                          [](auto& manifest) {
                              manifest["plugin"].as_object()["provides"] = {{{"interface", "notes.counter"}, {"version", "1.0"}}};
                          }),
                      "plugin.provides: expected the interface 'notes.counter'");
        assertRefused(ManifestFolder([](auto& manifest) { manifest.erase("name"); }), "manifest.json:");
        assertRefused(ManifestFolder(
                          [](auto& manifest) {
                              manifest["bindableResources"].as_array().push_back({{"type", "desk"}, {"title", "Desk"}, {"idPattern", "^"}});
                          }),
                      "no route binds a 'desk'");
    }

    void looksForWhatTheManifestListsOnly()
    {
        const ManifestFolder alone([](auto& manifest) { manifest["plugin"].as_object().erase("requires"); });
        TestHost host(alone.settings(), make);
        CPPUNIT_ASSERT_THROW(host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer), std::logic_error);
    }

    void aNarrowedKeyReachesNoOtherResource()
    {
        TestHost host(settings(), make);
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
        auto key = keyOf("org_1", {"notes.notes:read"}, {"notes.read"});
        key.boundResources = {{"note", {id}}};
        CPPUNIT_ASSERT_EQUAL(200, host.call(Method::Get, "/api/notes/" + id, "", key).status);
        const auto other = host.call(Method::Get, "/api/notes/nte_01jd0000000000000000000000", "", key);
        CPPUNIT_ASSERT_EQUAL(std::string("resource_not_bound"), other.at("/code"));
    }

    void looksIntoAnswers()
    {
        Response response;
        response.body = R"({"items":[{"id":"a","size":7,"gone":null,"tags":["x","y"]}],"a/b":true})";
        const testing::TestAnswer answer(std::move(response));
        CPPUNIT_ASSERT_EQUAL(std::string("a"), answer.at("/items/0/id"));
        CPPUNIT_ASSERT_EQUAL(std::string("7"), answer.at("/items/0/size"));
        CPPUNIT_ASSERT_EQUAL(std::string("null"), answer.at("/items/0/gone"));
        CPPUNIT_ASSERT_EQUAL(std::string(R"(["x","y"])"), answer.at("/items/0/tags"));
        CPPUNIT_ASSERT_EQUAL(std::string("true"), answer.at("/a~1b"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, answer.count("/items"));
        CPPUNIT_ASSERT_EQUAL(std::size_t{4}, answer.count("/items/0"));
        CPPUNIT_ASSERT(answer.has("/items/0/gone") && !answer.has("/items/1") && !answer.has("items"));
        CPPUNIT_ASSERT_THROW(answer.at("/items/1/id"), std::out_of_range);
        CPPUNIT_ASSERT_THROW(answer.count("/items/0/id"), std::out_of_range);
        CPPUNIT_ASSERT_THROW(testing::TestAnswer(Response()).at("/id"), std::out_of_range);
        CPPUNIT_ASSERT_EQUAL(std::string(), answer.code());
        TestHost host(settings(), make);
        CPPUNIT_ASSERT_EQUAL(std::string("not_found"), host.call(Method::Get, "/nowhere").code());
        Response baking;
        baking.addHeader("Set-Cookie", "a=1; Path=/");
        baking.addHeader("Set-Cookie", "flat=%20");
        const testing::TestAnswer baked(std::move(baking));
        CPPUNIT_ASSERT_EQUAL(std::string("1"), baked.cookie("a"));
        CPPUNIT_ASSERT_EQUAL(std::string("%20"), baked.cookie("flat"));
        CPPUNIT_ASSERT_EQUAL(std::string(), baked.cookie("b"));
    }

    void requestsComeFromSomewhere()
    {
        class Telling final : public Plugin
        {
        public:
            void declare(Routes& routes) override
            {
                routes.get("/api/auth/me", access::open(), &Telling::tell, this, {.onEveryOrigin = true})
                    .get("/here", access::open(), &Telling::tell, this);
            }
            Response tell(const Request& request)
            {
                Response response;
                response.body =
                    std::string(request.originService) + ' ' + std::string(request.origin) + ' ' + std::string(request.clientAddress);
                return response;
            }
        };
        auto chosen = settings();
        chosen.neighbours = {"crm"};
        const ManifestFolder simple(withoutKeys);
        chosen.pluginDirectory = simple.settings().pluginDirectory;
        TestHost host(chosen, [](PluginContext&) { return std::make_unique<Telling>(); });
        CPPUNIT_ASSERT_EQUAL(std::string("notes http://notes.localhost:8080 192.0.2.1"), host.call(Method::Get, "/here").body);
        testing::TestRequest request{.target = "/api/auth/me", .originService = "crm", .clientAddress = "203.0.113.7"};
        CPPUNIT_ASSERT_EQUAL(std::string("crm http://crm.localhost:8080 203.0.113.7"), host.call(request).body);
        request.target = "/here";
        CPPUNIT_ASSERT_EQUAL(404, host.call(request).status);
        CPPUNIT_ASSERT_EQUAL(std::string("http://crm.localhost:8080"), host.context().host().origins.at("crm"));
    }

    /// One that says who calls is asked as a host asks it; of others the test says so.
    void asksThePluginWhoCalls()
    {
        const ManifestFolder knowing(
            [](auto& manifest)
            {
                manifest["plugin"].as_object()["provides"] = {{{"interface", "portico.credentials"}, {"version", "1.0"}}};
                withoutKeys(manifest);
            });
        auto chosen = knowing.settings();
        chosen.neighbours = {"crm"};
        TestHost host(chosen, [](PluginContext& context) { return std::make_unique<Doorman>(context); });
        const auto ask = [&](std::string target, std::vector<std::pair<std::string, std::string>> headers, std::string origin = {})
        {
            return host.call({.target = std::move(target),
                              .headers = std::move(headers),
                              .caller = _writer,
                              .originService = std::move(origin),
                              .clientAddress = "203.0.113.7"});
        };
        CPPUNIT_ASSERT_EQUAL(std::string("token t notes 203.0.113.7 with access"), ask("/closed", {{"Authorization", "Bearer t"}}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("key k notes 203.0.113.7 with access"), ask("/closed", {{"X-Api-Key", "k"}}).body);
        CPPUNIT_ASSERT_EQUAL(std::string("bad"), ask("/closed", {{"Authorization", "Bearer bad"}}).at("/details/reason"));
        CPPUNIT_ASSERT_EQUAL(_writer.displayName, ask("/closed", {}).body);
        CPPUNIT_ASSERT_EQUAL(_writer.displayName, ask("/open", {{"Authorization", "Bearer bad"}}).body);
        // What the gateway serves is for who belongs to the service whose origin it is, or to the one that is named at home.
        CPPUNIT_ASSERT_EQUAL(std::string("token t crm 203.0.113.7"), ask("/validate", {{"Authorization", "Bearer t"}}, "crm").body);
        CPPUNIT_ASSERT_EQUAL(std::string("token t crm 203.0.113.7"),
                             ask("/validate", {{"Authorization", "Bearer t"}, {"X-Service-ID", "crm"}}).body);
    }

    void readsSettingsAsAHost()
    {
        const ManifestFolder folder(
            [](auto& manifest)
            {
                auto& config = manifest["plugin"].as_object()["config"].as_object();
                config["notes.keyFile"] = {{"type", "secretFile"}, {"default", ""}, {"description", "The key of the index"}};
                config["notes.home"] = {{"type", "url"}, {"default", "https://a.example"}, {"description", "Where"}};
            });
        const testing::TemporaryDirectory secrets;
        const auto file = secrets.path() / "key";
        std::ofstream(file) << " s3cret\n";
        auto chosen = folder.settings();
        CPPUNIT_ASSERT_EQUAL(std::string(), testing::TestContext(chosen).config().secret("notes.keyFile"));
        chosen.config = {{"notes.keyFile", file.string()}, {"limits.requestsPerMinute", "60"}};
        const testing::TestContext context(chosen);
        CPPUNIT_ASSERT_EQUAL(std::string("s3cret"), context.config().secret("notes.keyFile"));
        CPPUNIT_ASSERT_EQUAL(file.string(), context.config().text("notes.keyFile"));
        CPPUNIT_ASSERT_EQUAL(std::int64_t{60}, context.config().integer("limits.requestsPerMinute"));
        // As the daemon it refuses to start, and says all that is wrong.
        chosen.config = {{"notes.keyFile", (secrets.path() / "none").string()}, {"notes.home", "a.example"}, {"notes.limit", "0"}};
        try
        {
            const testing::TestContext refused(chosen);
            CPPUNIT_FAIL("settings that no host takes");
        }
        catch (const std::runtime_error& error)
        {
            for (const std::string part : {"notes.keyFile: expected a file with a secret", "notes.home: expected an http or https URL",
                                           "notes.limit: expected an integer from 1"})
                CPPUNIT_ASSERT_MESSAGE(error.what(), std::string(error.what()).find(part) != std::string::npos);
        }
    }

    void reloads()
    {
        TestHost host(settings(), make);
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
        const auto* before = &host.plugin();
        host.reload();
        CPPUNIT_ASSERT(before != &host.plugin());
        CPPUNIT_ASSERT_EQUAL(std::string("stopped"), host.context().logger().records().back().text);
        CPPUNIT_ASSERT_EQUAL(200, host.call(Method::Get, "/api/notes/" + id, "", _reader).status);
        // What the old one left to do is done by the new one, once.
        host.context().http().respond(200);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host.context().jobs().runDue());
        Event event;
        event.type = "user.deleted";
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, host.context().events().deliver(event));
    }

    void aReloadThatFailsComesOut()
    {
        int made = 0;
        TestHost host(settings(),
                      [&](PluginContext& context)
                      {
                          if (++made == 2) throw std::runtime_error("no licence");
                          return make(context);
                      });
        CPPUNIT_ASSERT_THROW(host.reload(), std::runtime_error);
    }

    void theStateStoreMayBeFull()
    {
        const testing::FakeClock clock;
        testing::FakeStateStore store(clock, 1'000);
        store.put("a", "1", 1min);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, store.entryCount());
        CPPUNIT_ASSERT(store.usedBytes() > 0);
        CPPUNIT_ASSERT_THROW(store.put("b", std::string(1'000, 'x'), 1min), Problem);
    }

    /// Recurring jobs and whatever else one test leaves is not seen by the other, on either engine.
    void hostsShareNothing()
    {
        TestHost one(settings(), make), other(settings(), make);
        one.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CPPUNIT_ASSERT_EQUAL(std::size_t{1}, one.context().jobs().waiting().size());
        CPPUNIT_ASSERT(other.context().jobs().waiting().empty());
        CPPUNIT_ASSERT_EQUAL(std::string("1"), one.call(Method::Get, "/api/notes/count").at("/count"));
        CPPUNIT_ASSERT_EQUAL(std::string("0"), other.call(Method::Get, "/api/notes/count").at("/count"));
    }

    /// Tests that follow each other share one schema, and see neither rows nor numbers of each other. What stays at the end fails the run
    /// (with_postgres.py).
    void aSchemaIsEmptiedForTheNextTest()
    {
        if (!std::getenv("PORTICO_TEST_DATABASE")) return; // the folder of SQLite goes as any other does
        const auto schemaOf = [](TestHost& host)
        { return host.context().database().session().value<std::string>("SELECT current_schema()::text").value(); };
        std::string used;
        {
            TestHost host(settings(), make);
            host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
            used = schemaOf(host);
        }
        {
            TestHost host(settings(), make);
            CPPUNIT_ASSERT_EQUAL(used, schemaOf(host));
            CPPUNIT_ASSERT_EQUAL(std::string("0"), host.call(Method::Get, "/api/notes/count").at("/count"));
            CPPUNIT_ASSERT(host.context().jobs().waiting().empty());
            // The migrations that ran are remembered: they would fail a second time.
            host.reload();
            host.context().database().transact([](Transaction& transaction)
                                               { transaction.execute("ALTER TABLE note ADD COLUMN more TEXT"); });
        }
        TestHost host(settings(), make);
        CPPUNIT_ASSERT(used != schemaOf(host));
    }

    void nothingIsLeftOfAFailedStart()
    {
        if (!std::getenv("PORTICO_TEST_DATABASE")) return;
        const TestHost watching(settings(), make);
        auto session = const_cast<TestHost&>(watching).context().database().session();
        const auto schemas = [&]
        { return session.value<std::int64_t>("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'test\\_%'").value(); };
        const auto before = schemas();
        const ManifestFolder broken([](auto&) {}, "CREATE TABLE note (");
        CPPUNIT_ASSERT_THROW(TestHost(broken.settings(), make), std::exception);
        CPPUNIT_ASSERT_EQUAL(before, schemas());
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
    /// Says who calls and answers what it was asked about them.
    class Doorman final : public Plugin, private interfaces::Credentials
    {
    public:
        explicit Doorman(PluginContext& context) : _context(context) {}
        void start() override { _context.services().provide<interfaces::Credentials>(*this); }
        void declare(Routes& routes) override
        {
            routes.get("/closed", access::bearerOrKey("", ""), &Doorman::tell, this)
                .get("/open", access::open(), &Doorman::tell, this)
                .get("/validate", access::bearer(), &Doorman::tell, this, {.onEveryOrigin = true});
        }
        Response tell(const Request& request)
        {
            Response response;
            response.body = request.caller->displayName;
            return response;
        }

    private:
        std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) override
        {
            if (credential.value == "bad") throw Problem::unauthorized("invalid_token").withDetails(R"({"reason":"bad"})");
            const bool key = credential.kind == CredentialKind::ApiKey;
            auto caller = key ? keyOf("org_1", {}, {}) : userOf("org_1", {});
            caller.displayName = std::string(key ? "key " : "token ") + std::string(credential.value) + ' ' +
                                 std::string(credential.serviceId) + ' ' + std::string(credential.clientAddress) +
                                 (credential.requireAccess ? " with access" : "");
            return std::make_shared<const Caller>(std::move(caller));
        }

        PluginContext& _context;
    };

    static TestSettings settings()
    {
        TestSettings settings;
        settings.pluginDirectory = NOTES_PLUGIN;
        return settings;
    }
    /// A copy of the plugin's folder with another manifest.
    class ManifestFolder
    {
    public:
        explicit ManifestFolder(const std::function<void(boost::json::object&)>& change, std::string_view migration = {})
        {
            std::filesystem::copy(NOTES_PLUGIN, _folder.path(), std::filesystem::copy_options::recursive);
            std::stringstream text;
            text << std::ifstream(_folder.path() / "manifest.json").rdbuf();
            auto manifest = boost::json::parse(text.str()).as_object();
            change(manifest);
            std::ofstream(_folder.path() / "manifest.json") << manifest;
            if (!migration.empty()) std::ofstream(_folder.path() / "migrations" / "0001_notes.sql") << migration;
        }
        TestSettings settings() const
        {
            TestSettings chosen;
            chosen.pluginDirectory = _folder.path();
            return chosen;
        }

    private:
        testing::TemporaryDirectory _folder;
    };
    static void withoutKeys(boost::json::object& manifest)
    {
        manifest.erase("bindableResources");
        manifest.erase("apiKeyScopes");
    }
    static void assertRefused(const ManifestFolder& folder, const std::string& part)
    {
        try
        {
            const TestHost host(folder.settings(), make);
        }
        catch (const std::runtime_error& error)
        {
            CPPUNIT_ASSERT_MESSAGE(error.what(), std::string(error.what()).find(part) != std::string::npos);
            return;
        }
        CPPUNIT_FAIL("expected a refusal: " + part);
    }
    static std::unique_ptr<Plugin> make(PluginContext& context) { return std::make_unique<notes::NotesPlugin>(context); }

    const Caller _writer = userOf("org_1", {"notes.notes:read", "notes.notes:write"});
    const Caller _reader = userOf("org_1", {"notes.notes:read"});
};

CPPUNIT_TEST_SUITE_REGISTRATION(TestHostTest);

} // namespace portico::tests
