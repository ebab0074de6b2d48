#include "launchpad/SourceFolders.h"
#include "support/Suite.h"

#include "host/platform/calls/HostCalls.h"
#include "widgets/WidgetBatch.h"

#include "portico/interfaces/ServiceCatalog.h"
#include "portico/interfaces/SignIns.h"
#include "portico/testing/TestHost.h"

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/SocketAddress.h>
#include <Poco/Net/StreamSocket.h>
#include <boost/json.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace portico::tests
{

using namespace portico::launchpad;
using namespace std::chrono_literals;

namespace
{

/// An app on loopback that may do anything with a connection.
class RemoteApp
{
public:
    enum class Habit
    {
        Responds,
        Hangs,
        Trickles,
        Redirects,
        Lies,
        SendsTooMuch,
        Closes
    };

    RemoteApp(std::string id, Habit habit) : _id(std::move(id)), _habit(habit), _thread([this] { run(); }) {}
    ~RemoteApp()
    {
        {
            const std::lock_guard lock(_mutex);
            _stopping = true;
            _changed.notify_all();
        }
        _thread.join();
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(_socket.address().port()) + "/api/widget"; }
    /// Number of requests that have arrived.
    int asked() const { return _asked.load(); }
    void become(Habit habit) { _habit = habit; }

private:
    void run()
    {
        while (!stops(0ms))
        {
            if (!_socket.poll(Poco::Timespan(0, 20'000), Poco::Net::Socket::SELECT_READ)) continue;
            auto connection = _socket.acceptConnection();
            try
            {
                receive(connection);
                // Counted before the answer: a test that has the answer reads the number.
                ++_asked;
                serve(connection);
            }
            catch (const Poco::Exception&)
            {
                // The client has gone.
            }
        }
    }

    /// Reads a request without a body to its end, because unread data would reset the connection.
    static void receive(Poco::Net::StreamSocket& connection)
    {
        connection.setReceiveTimeout(Poco::Timespan(30, 0));
        std::string request;
        std::array<char, 8'192> piece{};
        while (!request.ends_with("\r\n\r\n"))
        {
            const auto count = connection.receiveBytes(piece.data(), static_cast<int>(piece.size()));
            if (count <= 0) throw Poco::IOException("the client has gone");
            request.append(piece.data(), static_cast<std::size_t>(count));
        }
    }

    bool stops(std::chrono::milliseconds after)
    {
        std::unique_lock lock(_mutex);
        return _changed.wait_for(lock, after, [this] { return _stopping; });
    }

    void serve(Poco::Net::StreamSocket& connection)
    {
        const auto send = [&](const std::string& text) { connection.sendBytes(text.data(), static_cast<int>(text.size())); };
        const std::string ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
        switch (_habit.load())
        {
        case Habit::Responds:
            return send(ok + "Content-Length: " + std::to_string(payload(_id).size()) + "\r\n\r\n" + payload(_id));
        case Habit::Hangs:
            _kept.push_back(connection);
            return;
        case Habit::Trickles:
            send(ok + "Content-Length: 10000\r\n\r\n");
            while (!stops(20ms)) send(" ");
            return;
        case Habit::Redirects:
            return send("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
        case Habit::Lies:
            return send(ok + "\r\n" + payload("another"));
        case Habit::SendsTooMuch:
            send(ok + "\r\n");
            for (int i = 0; i < 100; ++i) send(std::string(8'192, ' '));
            return;
        case Habit::Closes:
            return;
        }
    }

    static std::string payload(const std::string& id)
    {
        return boost::json::serialize(boost::json::object{{"schemaVersion", 1},
                                                          {"service_id", id},
                                                          {"widgetId", "overview"},
                                                          {"status", "ok"},
                                                          {"title", "Title of " + id},
                                                          {"generatedAt", "2026-11-23T08:00:00.000Z"},
                                                          {"context", {{"kind", "organization"}, {"organizationId", "org_1"}}}});
    }

    const std::string _id;
    std::atomic<Habit> _habit;
    std::atomic<int> _asked{0};
    Poco::Net::ServerSocket _socket{Poco::Net::SocketAddress("127.0.0.1", 0)};
    std::vector<Poco::Net::StreamSocket> _kept;
    std::mutex _mutex;
    std::condition_variable _changed;
    bool _stopping = false;
    std::thread _thread;
};

/// The test's context with the host's own calls and with a store that several hosts may share.
class CallingContext final : public PluginContext
{
public:
    CallingContext(testing::TestContext& rest, Calls& calls, StateStore& state) : _rest(rest), _calls(calls), _state(state) {}
    const HostInfo& host() const override { return _rest.host(); }
    const Config& config() const override { return _rest.config(); }
    Logger& logger() override { return _rest.logger(); }
    const Clock& clock() const override { return _rest.clock(); }
    Database& database() override { return _rest.database(); }
    StateStore& state() override { return _state; }
    Jobs& jobs() override { return _rest.jobs(); }
    Events& events() override { return _rest.events(); }
    Channels& channels() override { return _rest.channels(); }
    Deliveries& deliveries() override { return _rest.deliveries(); }
    Blobs& blobs() override { return _rest.blobs(); }
    Mailer& mailer() override { return _rest.mailer(); }
    HttpClient& http() override { return _rest.http(); }
    Services& services() override { return _rest.services(); }
    Metrics& metrics() override { return _rest.metrics(); }
    std::atomic<std::uint64_t>& hostCounter(std::string_view name) override { return _rest.hostCounter(name); }
    Calls& calls() override { return _calls; }
    Helpers& helpers() override { return _rest.helpers(); }

private:
    testing::TestContext& _rest;
    Calls& _calls;
    StateStore& _state;
};

class AnyVersion final : public interfaces::ServiceCatalog
{
public:
    std::vector<interfaces::CatalogEntry> services() override { return {}; }
    std::optional<interfaces::CatalogEntry> service(std::string_view) override { return std::nullopt; }
    std::vector<interfaces::CatalogAccess> accessOf(const Caller&) override { return {}; }
};

class AnyToken final : public interfaces::SignIns
{
public:
    interfaces::Handoff handoff(const Caller&, const interfaces::HandoffWish&) override { return {}; }
    interfaces::ContextChange changeContext(const Caller&, std::string_view, std::string_view) override { return {}; }
    void selectHousehold(const Caller&, std::string_view) override {}
    std::shared_ptr<const Caller> behindRefreshCookie(std::string_view, std::string_view, std::string_view) override { return nullptr; }
    std::string widgetToken(const Caller&, std::string_view) override { return "token"; }
};

} // namespace

/// Batches against forty apps that are real servers, through the host's own calls.
class WidgetAppsTest : public Suite<WidgetAppsTest>
{
    using Habit = RemoteApp::Habit;
    /// Exceeded only by an app that never answers, also on a slow machine.
    static constexpr WidgetBudget patient{.call = 1min, .page = 1min};

    /// A host with the batch on it.
    struct Host
    {
        Host(testing::TestContext& rest, StateStore& state, std::vector<WidgetApp> shelf, WidgetBudget budget = patient)
            : client(settings()),
              parts(client),
              calls(generation(), parts),
              context(rest, calls, state),
              apps(std::move(shelf)),
              batch(
                  context, [this](const Caller&) { return apps; }, budget)
        {
            batch.start();
        }
        ~Host() { parts.threads.stop(10s); }
        static host::platform::HttpClientSettings settings()
        {
            host::platform::HttpClientSettings made;
            made.allowedNetworks = {"127.0.0.0/8"};
            return made;
        }
        static std::shared_ptr<host::plugins::Generation> generation()
        {
            auto manifest = std::make_shared<host::plugins::Manifest>();
            manifest->serviceId = "launchpad";
            auto made = std::make_shared<host::plugins::Generation>(manifest, 1);
            made->serve();
            return made;
        }
        BatchAnswer run()
        {
            FetchContext asked;
            asked.locale = "en";
            auto caller = testing::userOf("org_1", {"launchpad.widgets:read"});
            return batch.run(caller, {}, asked);
        }

        host::platform::GuardedHttpClient client;
        host::platform::CallParts parts;
        host::platform::HostCalls calls;
        CallingContext context;
        std::vector<WidgetApp> apps;
        WidgetBatch batch;
    };

    void begin(const std::function<Habit(int)>& habitOf)
    {
        testing::TestSettings settings;
        settings.pluginDirectory = launchpadPluginFolder();
        rest = std::make_unique<testing::TestContext>(settings);
        rest->services().offer<interfaces::ServiceCatalog>(versions);
        rest->services().offer<interfaces::SignIns>(tokens);
        remote.clear();
        shelf.clear();
        for (int i = 0; i < 40; ++i)
        {
            const auto id = "app-" + std::to_string(i);
            remote.push_back(std::make_unique<RemoteApp>(id, habitOf(i)));
            WidgetApp app;
            app.serviceId = app.name = id;
            app.widgetUrl = remote.back()->url();
            app.widgets = {{"overview", "Overview", {}}};
            shelf.push_back(std::move(app));
        }
    }

    static std::string errorOf(Habit habit)
    {
        switch (habit)
        {
        case Habit::Redirects:
            return "http_302";
        case Habit::Lies:
        case Habit::Closes:
            return "bad_payload";
        case Habit::SendsTooMuch:
            return "too_large";
        default:
            return "timeout";
        }
    }

    /// Each of forty apps must get the tile that its habit deserves.
    void check(const std::function<Habit(int)>& habitOf, const BatchAnswer& answer)
    {
        equal(40, answer.widgets.size());
        for (int i = 0; i < 40; ++i)
        {
            const auto& shown = answer.widgets[static_cast<std::size_t>(i)];
            const auto widget = boost::json::parse(shown.widget.text);
            CHECK(std::string(widget.at("service_id").as_string()) == shown.serviceId);
            if (habitOf(i) == Habit::Responds)
            {
                CPPUNIT_ASSERT_MESSAGE(shown.serviceId + (shown.error ? shown.error->code : ""), shown.source == WidgetSource::Native);
                CHECK(std::string(widget.at("title").as_string()) == "Title of " + shown.serviceId);
                continue;
            }
            CHECK(shown.source == WidgetSource::Metadata && shown.error);
            equal(errorOf(habitOf(i)), shown.error->code, shown.serviceId);
        }
    }

    TEST(fortyAppsOfWhichManyMisbehave)
    {
        const auto habitOf = [](int i)
        {
            switch (i)
            {
            case 3:
                return Habit::Redirects;
            case 7:
                return Habit::Lies;
            case 11:
                return Habit::SendsTooMuch;
            case 15:
                return Habit::Closes;
            default:
                return Habit::Responds;
            }
        };
        begin(habitOf);
        check(habitOf, Host(*rest, rest->state(), shelf).run());
    }

    /// Five of the eight calls at a time hang in the end.
    TEST(appsThatHangKeepNoOtherWaiting)
    {
        const auto habitOf = [](int i)
        {
            switch (i)
            {
            case 0:
            case 1:
                return Habit::Trickles;
            case 2:
            case 20:
            case 39:
                return Habit::Hangs;
            default:
                return Habit::Responds;
            }
        };
        begin(habitOf);
        check(habitOf, Host(*rest, rest->state(), shelf, {.call = 3s, .page = 1min}).run());
    }

    TEST(aRequestEndsWithItsBudget)
    {
        const auto habitOf = [](int) { return Habit::Hangs; };
        begin(habitOf);
        check(habitOf, Host(*rest, rest->state(), shelf, {.call = 1h, .page = 100ms}).run());
    }

    TEST(hostsShareTheirCache)
    {
        begin([](int) { return Habit::Responds; });
        Host first(*rest, rest->state(), shelf);
        Host second(*rest, rest->state(), shelf);
        for (const auto& shown : first.run().widgets) CHECK(shown.source == WidgetSource::Native);
        for (const auto& app : remote) app->become(Habit::Hangs);
        for (const auto& shown : second.run().widgets) CHECK(shown.source == WidgetSource::Cache);
        for (const auto& app : remote) equal(1, app->asked());
    }

    AnyVersion versions;
    AnyToken tokens;
    std::unique_ptr<testing::TestContext> rest;
    std::vector<std::unique_ptr<RemoteApp>> remote;
    std::vector<WidgetApp> shelf;
};
} // namespace portico::tests
