#include "support/Suite.h"
#include "testing/NotesPlugin.h"

#include "portico/testing/TestHost.h"

#include <boost/json.hpp>

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

class TestHostTest : public Suite<TestHostTest>
{
    TEST(callsHandlers)
    {
        TestHost host(settings(), make);
        auto created = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        equal(201, created.status);
        const auto id = created.at("/id");
        auto shown = host.call(Method::Get, "/api/notes/" + id, "", _reader);
        equal(200, shown.status);
        equal(R"({"id":")" + id + R"(","text":"hello"})", shown.body);
        equal(204, host.call(Method::Delete, "/api/notes/" + id, "", _writer).status);
        equal(404, host.call(Method::Get, "/api/notes/" + id, "", _reader).status);
    }

    TEST(literalsWinOverParameters)
    {
        TestHost host(settings(), make);
        equal(R"({"count":0})", host.call(Method::Get, "/api/notes/count").body);
    }

    TEST(answersProblems)
    {
        TestHost host(settings(), make);
        const auto invalid = host.call(Method::Post, "/api/notes", R"({"text":""})", _writer);
        equal(400, invalid.status);
        equal("application/problem+json", invalid.contentType);
        CHECK(invalid.body.find("\"code\":\"validation_failed\"") != std::string::npos);
        equal(404, host.call(Method::Get, "/nowhere").status);
        equal(405, host.call(Method::Patch, "/api/notes", "{}", _writer).status);
    }

    TEST(checksAccess)
    {
        TestHost host(settings(), make);
        const std::string path = "/api/notes/nte_01jd0000000000000000000000";
        equal(401, host.call(Method::Get, path).status);
        equal(403, host.call(Method::Get, path, "", userOf("org_1", {"notes.notes:write"})).status);
        equal(403, host.call(Method::Get, path, "", keyOf("org_1", {"notes.notes:read"}, {})).status);
        equal(404, host.call(Method::Get, path, "", keyOf("org_1", {"notes.notes:read"}, {"notes.read"})).status);
        equal(403, host.call(Method::Post, "/api/notes", "{}", keyOf("org_1", {"notes.notes:write"}, {"notes.read"})).status);
    }

    TEST(recordsWhatACommitLeft)
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        auto& context = host.context();
        equal(1, context.jobs().waiting("index").size());
        equal(1, context.events().published("notes.created").size());
        equal("org_1", context.events().published().at(0).organizationId);
        equal("hello", context.mailer().sentTo("user@test.example").at(0).text);
        equal(1.0, context.metrics().counted("created_total", {{"by", "user"}}));
        equal(0.0, context.metrics().counted("created_total", {{"by", "agent"}}));
    }

    TEST(recordsNothingOfARollback)
    {
        TestHost host(settings(), make);
        equal(409, host.call(Method::Post, "/api/notes", R"({"text":"roll back"})", _writer).status);
        CHECK(host.context().jobs().waiting().empty());
        CHECK(host.context().events().published().empty());
        CHECK(host.context().mailer().sent().empty());
    }

    TEST(runsJobsOnDemand)
    {
        TestHost host(settings(), make);
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
        host.context().http().respond(200);
        equal(1, host.context().jobs().runDue());
        equal("https://index.example/" + id, host.context().http().requests().at(0).url);
        CHECK(host.context().jobs().waiting().empty());
        equal(0, host.context().jobs().runDue());
    }

    TEST(failedJobsWaitForTheClock)
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        auto& jobs = host.context().jobs();
        equal(1, jobs.runDue()); // The receiver does not answer.
        equal(1, jobs.waiting().at(0).attempts);
        host.context().http().respond(503);
        for (int i = 0; i < 7; ++i)
        {
            host.context().clock().advance(2h);
            equal(1, jobs.runDue());
        }
        equal(1, jobs.deadLetters());
        equal(8, jobs.failures().size());
        equal("the index is closed", jobs.failures().back());
    }

    TEST(deliversEvents)
    {
        TestHost host(settings(), make);
        host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        Event event;
        event.type = "user.deleted";
        event.organizationId = "org_1";
        equal(1, host.context().events().deliver(event));
        equal(R"({"count":0})", host.call(Method::Get, "/api/notes/count").body);
        event.type = "users.deleted";
        equal(0, host.context().events().deliver(event));
    }

    TEST(playsOtherPlugins)
    {
        class Shouting final : public notes::Dictionary
        {
        public:
            std::string translate(const std::string& word) override { return word + "!"; }
        } shouting;
        TestHost host(settings(), make);
        host.context().services().offer<notes::Dictionary>(shouting);
        const auto loud = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CHECK(loud.body.find("hello!") != std::string::npos);
        host.context().services().withdraw(notes::Dictionary::interfaceName);
        const auto plain = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        CHECK(plain.body.find("hello!") == std::string::npos);
    }

    TEST(stopsThePlugin)
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
            equal(0, stops);
        }
        equal(1, stops);
    }

    TEST(throwsOfAStartComeOut)
    {
        class Failing final : public Plugin
        {
        public:
            void start() override { throw std::runtime_error("no licence"); }
            void declare(Routes&) override {}
        };
        CPPUNIT_ASSERT_THROW(TestHost(settings(), [](PluginContext&) { return std::make_unique<Failing>(); }), std::runtime_error);
    }

    TEST(saysWhatIsMissing)
    {
        const ManifestFolder bare([](boost::json::object& manifest) { manifest.at("plugin").as_object().erase("migrations"); });
        CPPUNIT_ASSERT_THROW(TestHost(bare.settings(), make), std::logic_error); // its start needs jobs
        CPPUNIT_ASSERT_THROW(testing::TestContext(settings()).config().text("notes.colour"), std::out_of_range);
        const ManifestFolder elsewhere([](boost::json::object& manifest)
                                       { manifest.at("plugin").at("migrations").as_object()["dir"] = "nowhere"; });
        assertRefused(elsewhere, "plugin.migrations: expected a folder");
    }

    TEST(takesTheManifestsDefaults)
    {
        auto chosen = settings();
        equal(7, testing::TestContext(chosen).config().integer("notes.limit"));
        equal("1.0.0", testing::TestContext(chosen).host().serviceVersion);
        chosen.config = {{"notes.limit", "3"}};
        equal(3, testing::TestContext(chosen).config().integer("notes.limit"));
        chosen.config = {{"notes.limits", "3"}};
        CPPUNIT_ASSERT_THROW(testing::TestContext{chosen}, std::runtime_error);
    }

    /// A plugin that passes a test can be loaded: like a host, this rejects each of these before any call.
    TEST(refusesWhatAHostWouldNotLoad)
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

    TEST(looksForWhatTheManifestListsOnly)
    {
        const ManifestFolder alone([](auto& manifest) { manifest["plugin"].as_object().erase("requires"); });
        TestHost host(alone.settings(), make);
        CPPUNIT_ASSERT_THROW(host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer), std::logic_error);
    }

    TEST(aNarrowedKeyReachesNoOtherResource)
    {
        TestHost host(settings(), make);
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
        auto key = keyOf("org_1", {"notes.notes:read"}, {"notes.read"});
        key.boundResources = {{"note", {id}}};
        equal(200, host.call(Method::Get, "/api/notes/" + id, "", key).status);
        const auto other = host.call(Method::Get, "/api/notes/nte_01jd0000000000000000000000", "", key);
        equal("resource_not_bound", other.at("/code"));
    }

    TEST(looksIntoAnswers)
    {
        Response response;
        response.body = R"({"items":[{"id":"a","size":7,"gone":null,"tags":["x","y"]}],"a/b":true})";
        const testing::TestAnswer answer(std::move(response));
        equal("a", answer.at("/items/0/id"));
        equal("7", answer.at("/items/0/size"));
        equal("null", answer.at("/items/0/gone"));
        equal(R"(["x","y"])", answer.at("/items/0/tags"));
        equal("true", answer.at("/a~1b"));
        equal(1, answer.count("/items"));
        equal(4, answer.count("/items/0"));
        CHECK(answer.has("/items/0/gone") && !answer.has("/items/1") && !answer.has("items"));
        CPPUNIT_ASSERT_THROW(answer.at("/items/1/id"), std::out_of_range);
        CPPUNIT_ASSERT_THROW(answer.count("/items/0/id"), std::out_of_range);
        CPPUNIT_ASSERT_THROW(testing::TestAnswer(Response()).at("/id"), std::out_of_range);
        equal("", answer.code());
        TestHost host(settings(), make);
        equal("not_found", host.call(Method::Get, "/nowhere").code());
        Response baking;
        baking.addHeader("Set-Cookie", "a=1; Path=/");
        baking.addHeader("Set-Cookie", "flat=%20");
        const testing::TestAnswer baked(std::move(baking));
        equal("1", baked.cookie("a"));
        equal("%20", baked.cookie("flat"));
        equal("", baked.cookie("b"));
    }

    TEST(requestsComeFromSomewhere)
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
        equal("notes http://notes.localhost:8080 192.0.2.1", host.call(Method::Get, "/here").body);
        testing::TestRequest request{.target = "/api/auth/me", .originService = "crm", .clientAddress = "203.0.113.7"};
        equal("crm http://crm.localhost:8080 203.0.113.7", host.call(request).body);
        request.target = "/here";
        equal(404, host.call(request).status);
        equal("http://crm.localhost:8080", host.context().host().origins.at("crm"));
    }

    /// A plugin that provides credentials authenticates the caller as in a host; otherwise the test names the caller.
    TEST(asksThePluginWhoCalls)
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
        equal("token t notes 203.0.113.7 with access", ask("/closed", {{"Authorization", "Bearer t"}}).body);
        equal("key k notes 203.0.113.7 with access", ask("/closed", {{"X-Api-Key", "k"}}).body);
        equal("bad", ask("/closed", {{"Authorization", "Bearer bad"}}).at("/details/reason"));
        equal(_writer.displayName, ask("/closed", {}).body);
        equal(_writer.displayName, ask("/open", {{"Authorization", "Bearer bad"}}).body);
        // Gateway routes are for callers of the service whose origin it is, or of the one named at the gateway's own origin.
        equal("token t crm 203.0.113.7", ask("/validate", {{"Authorization", "Bearer t"}}, "crm").body);
        equal("token t crm 203.0.113.7", ask("/validate", {{"Authorization", "Bearer t"}, {"X-Service-ID", "crm"}}).body);
    }

    TEST(readsSettingsAsAHost)
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
        equal("", testing::TestContext(chosen).config().secret("notes.keyFile"));
        chosen.config = {{"notes.keyFile", file.string()}, {"limits.requestsPerMinute", "60"}};
        const testing::TestContext context(chosen);
        equal("s3cret", context.config().secret("notes.keyFile"));
        equal(file.string(), context.config().text("notes.keyFile"));
        equal(60, context.config().integer("limits.requestsPerMinute"));
        // Like the daemon, it refuses to start, and reports all faults.
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

    TEST(reloads)
    {
        TestHost host(settings(), make);
        const auto id = host.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer).at("/id");
        const auto* before = &host.plugin();
        host.reload();
        CHECK(before != &host.plugin());
        equal("stopped", host.context().logger().records().back().text);
        equal(200, host.call(Method::Get, "/api/notes/" + id, "", _reader).status);
        // The new generation runs the old one's pending job, once.
        host.context().http().respond(200);
        equal(1, host.context().jobs().runDue());
        Event event;
        event.type = "user.deleted";
        equal(1, host.context().events().deliver(event));
    }

    TEST(aReloadThatFailsComesOut)
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

    TEST(theStateStoreMayBeFull)
    {
        const testing::FakeClock clock;
        testing::FakeStateStore store(clock, 1'000);
        store.put("a", "1", 1min);
        equal(1, store.entryCount());
        CHECK(store.usedBytes() > 0);
        CPPUNIT_ASSERT_THROW(store.put("b", std::string(1'000, 'x'), 1min), Problem);
    }

    /// Recurring jobs and whatever else one test leaves is not seen by the other, on either engine.
    TEST(hostsShareNothing)
    {
        TestHost one(settings(), make), other(settings(), make);
        one.call(Method::Post, "/api/notes", R"({"text":"hello"})", _writer);
        equal(1, one.context().jobs().waiting().size());
        CHECK(other.context().jobs().waiting().empty());
        equal("1", one.call(Method::Get, "/api/notes/count").at("/count"));
        equal("0", other.call(Method::Get, "/api/notes/count").at("/count"));
    }

    /// Tests that follow each other share one schema, and see neither rows nor numbers of each other. What stays at the end fails the run
    /// (with_postgres.py).
    TEST(aSchemaIsEmptiedForTheNextTest)
    {
        if (!std::getenv("PORTICO_TEST_DATABASE")) return; // the folder of SQLite is deleted anyway
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
            equal(used, schemaOf(host));
            equal("0", host.call(Method::Get, "/api/notes/count").at("/count"));
            CHECK(host.context().jobs().waiting().empty());
            // The migrations that ran are remembered: they would fail a second time.
            host.reload();
            host.context().database().transact([](Transaction& transaction)
                                               { transaction.execute("ALTER TABLE note ADD COLUMN more TEXT"); });
        }
        TestHost host(settings(), make);
        CHECK(used != schemaOf(host));
    }

    TEST(nothingIsLeftOfAFailedStart)
    {
        if (!std::getenv("PORTICO_TEST_DATABASE")) return;
        const TestHost watching(settings(), make);
        auto session = const_cast<TestHost&>(watching).context().database().session();
        const auto schemas = [&]
        { return session.value<std::int64_t>("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'test\\_%'").value(); };
        const auto before = schemas();
        const ManifestFolder broken([](auto&) {}, "CREATE TABLE note (");
        CPPUNIT_ASSERT_THROW(TestHost(broken.settings(), make), std::exception);
        equal(before, schemas());
    }

    TEST(blobsHaveAQuota)
    {
        auto limited = settings();
        limited.blobQuotaBytesPerScope = 5;
        testing::TestContext context(limited);
        const auto key = context.blobs().store("org_1", "12345");
        equal("12345", context.blobs().text(key).value());
        CPPUNIT_ASSERT_THROW(context.blobs().store("org_1", "6"), Problem);
    }

    TEST(readsStreams)
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
        equal("123", TestHost::bodyOf(response));
    }

    /// Authenticates callers, and returns the questions that it got.
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

} // namespace portico::tests
