#pragma once

#include "support/Suite.h"

#include "host/http/Application.h"
#include "host/plugins/runtime/Contracts.h"
#include "host/routing/builtin/HostRoutes.h"
#include "host/routing/pipeline/Dispatcher.h"
#include "host/routing/table/RouteTablePublisher.h"

#include "portico/Clock.h"
#include "portico/Logger.h"
#include "portico/system/Credentials.h"

#include "MemoryIdempotencyStore.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace routing_tests
{

using namespace portico;
using namespace portico::host;
using namespace portico::host::routing;
using portico::testing::equal;
using portico::testing::refused;
using portico::testing::Suite;

/// A clock that does not move until the test moves it.
class FakeClock final : public Clock
{
public:
    Instant now() const noexcept override { return wall; }
    std::chrono::steady_clock::time_point steady() const noexcept override
    {
        return std::chrono::steady_clock::time_point(std::chrono::hours(1)) + passed;
    }
    void advance(std::chrono::milliseconds by)
    {
        wall += by;
        passed += by;
    }

    Instant wall = *parseInstant("2026-11-21T09:00:00Z");
    std::chrono::milliseconds passed{0};
};

class RecordingLogger final : public Logger
{
public:
    void write(LogLevel, std::string_view text, Fields fields) override;
    bool enabled(LogLevel) const noexcept override { return true; }
    std::string text() const;

private:
    mutable std::mutex _mutex;
    std::string _text;
};

/// Knows tokens and keys by their text; gives the test's answers. Accepts each proof once.
class FakeCredentials final : public interfaces::Credentials
{
public:
    std::shared_ptr<const Caller> validate(const interfaces::Credential& credential) override;
    /// Returns callers that were validated before, while `forgetful` is not set.
    std::shared_ptr<const Caller> validateCached(const interfaces::Credential& credential) override;

    void requireFreshProof(const Caller& caller) override;

    bool forgetful = false;
    /// Sign-ins that were confirmed recently.
    std::set<std::string, std::less<>> fresh;
    int validations = 0;
    std::map<std::string, Caller, std::less<>> callers;
    /// Thrown instead of an answer, if set.
    std::function<void()> fail;
    std::string lastAudience() const;
    /// `POST http://crm.localhost:8080/api/contacts <proof>` of a token that came with one, else empty.
    std::string lastProof() const;

private:
    mutable std::mutex _mutex;
    std::string _lastAudience;
    std::string _lastProof;
    std::set<std::string, std::less<>> _known;
    std::set<std::string, std::less<>> _usedProofs;
};

class FakeHealth final : public HealthSource
{
public:
    std::chrono::seconds uptime() const override { return std::chrono::seconds(42); }
    std::vector<DependencyHealth> dependencies(std::string_view) override { return found; }
    std::vector<std::string> notReady(std::string_view) override { return missing; }

    std::vector<DependencyHealth> found;
    std::vector<std::string> missing;
};

class LambdaHandler final : public Handler
{
public:
    using Function = std::function<void(Request&, Response&)>;
    using Check = std::function<void(Request&)>;
    LambdaHandler(Function function, Check check) : _function(std::move(function)), _check(std::move(check)) {}
    void check(Request& request) const override { _check(request); }
    void handle(Request& request, Response& response) const override { _function(request, response); }
    std::string problemBody(const Problem& problem) const override { return "wrong: " + problem.code(); }

private:
    Function _function;
    Check _check;
};

/// A service as described by a test. It can be published repeatedly, each time as a new generation.
struct TestService
{
    explicit TestService(std::string id);
    /// Adds a route that answers 200 with `{}`, or what the function does.
    plugins::RouteInfo& route(Method method, std::string pattern, Access access, LambdaHandler::Function function = {});
    plugins::PublishedService publish();

    std::shared_ptr<plugins::Manifest> manifest = std::make_shared<plugins::Manifest>();
    plugins::ServiceStatus status = plugins::ServiceStatus::Serving;
    bool registered = true;
    std::vector<std::string> origins;
    std::vector<plugins::RouteInfo> routes;
    std::vector<LambdaHandler::Function> functions;
    /// The check of each route with `checksBeforeBody`.
    LambdaHandler::Check check;
    std::shared_ptr<plugins::Generation> generation;
    std::uint64_t generations = 0;
    /// It has pages, which were not built.
    bool pages = false;
    /// The generation's answer about its database.
    bool canReadWithoutBlocking = false;
};

struct Call
{
    Method method = Method::Get;
    std::string path = "/";
    std::string query = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    std::string host = "crm.localhost:8080";
    std::string listener = {};
    std::string client = "192.0.2.7";
    bool secure = false;
    const ReceivedFile* file = nullptr;
};

/// An answer of the dispatcher, read as `testing::TestAnswer` is read, which the tests of the host do not link.
struct Answer
{
    int status = 0;
    std::string body;
    std::string contentType;
    std::string cacheControl;
    std::string etag;
    std::string headerBlock;
    http::Admission admission;

    /// Value of the only header of that name; "" if there is none.
    std::string header(std::string_view name) const;
    /// Returns what is at a pointer (RFC 6901) of the JSON body: a string as its text, anything else as JSON.
    std::string at(std::string_view pointer) const;
    /// The member `code` of a problem.
    std::string code() const;
};

/// An exchange with everything that its views look at.
struct OpenExchange
{
    explicit OpenExchange(const Call& call, const Clock& clock);
    Call call;
    std::vector<HeaderField> fields;
    http::Exchange exchange;
};

/// Services, their routes and a dispatcher on top, as the daemon puts them together.
class World
{
public:
    explicit World(Settings settings = {});
    TestService& service(const std::string& id);
    void publish();
    /// A whole exchange, as the server leads it.
    Answer send(const Call& call);
    /// The same without its end: the caller finishes it.
    void start(OpenExchange& open);
    static Answer answerOf(const http::Exchange& exchange, const http::Admission& admission = {});
    Caller& caller(const std::string& credential);
    Dispatcher& dispatcher();

    FakeClock clock;
    RecordingLogger log;
    FakeCredentials credentials;
    bool credentialsPresent = true;
    FakeHealth health;
    MemoryIdempotencyStore idempotency;
    RouteMeters meters;
    CurrentTable table;
    RouteTablePublisher publisher{table, meters};
    Settings settings;

private:
    std::map<std::string, TestService> _services;
    std::optional<Dispatcher> _dispatcher;
};

/// A world with crm and identity, the latter with gateway routes.
struct TwoServices : World
{
    explicit TwoServices(Settings chosen = {});
};

} // namespace routing_tests
