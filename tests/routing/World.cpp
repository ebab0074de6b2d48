#include "World.h"

#include "support/Suite.h"

#include <boost/json.hpp>

namespace routing_tests
{

namespace
{
/// The fake provider is always in memory.
class NoLease final : public LeaseHandle
{
};
} // namespace

void RecordingLogger::write(LogLevel, std::string_view text, Fields fields)
{
    const std::lock_guard lock(_mutex);
    _text.append(text);
    // Same as the host's own log.
    if (const auto* request = telemetry::RequestContext::request()) _text.append(" requestId=").append(request->requestId);
    for (const auto& [name, value] : fields) _text.append(" ").append(name).append("=").append(value);
    _text.append("\n");
}

std::string RecordingLogger::text() const
{
    const std::lock_guard lock(_mutex);
    return _text;
}

std::shared_ptr<const Caller> FakeCredentials::validate(const interfaces::Credential& credential)
{
    {
        const std::lock_guard lock(_mutex);
        _lastAudience = credential.serviceId;
        _lastProof.clear();
        ++validations;
        if (credential.presented == interfaces::Credential::Presented::Proof)
        {
            _lastProof = std::string(name(credential.method)) + ' ' + std::string(credential.origin) + std::string(credential.path) + ' ' +
                         std::string(credential.proof);
            if (!_usedProofs.emplace(credential.proof).second)
                throw Problem::unauthorized("invalid_token").withDetails(R"({"reason":"dpop_proof_invalid"})");
        }
    }
    if (fail) fail();
    CHECK(credential.digest && *credential.digest == sha256(credential.value));
    const auto found = callers.find(credential.value);
    if (found == callers.end()) throw Problem::unauthorized("invalid_token").withDetails(R"({"reason":"unknown"})");
    auto caller = found->second;
    caller.credential = credential.kind;
    const std::lock_guard lock(_mutex);
    _known.emplace(credential.value);
    return Caller::share(std::move(caller));
}

std::shared_ptr<const Caller> FakeCredentials::validateCached(const interfaces::Credential& credential)
{
    if (fail) fail();
    const std::lock_guard lock(_mutex);
    if (forgetful || !_known.contains(credential.value)) return nullptr;
    auto caller = callers.find(credential.value)->second;
    caller.credential = credential.kind;
    return Caller::share(std::move(caller));
}

void FakeCredentials::requireFreshProof(const Caller& caller)
{
    if (!fresh.contains(caller.sessionId)) throw Problem::forbidden("step_up_required");
}

std::string FakeCredentials::lastAudience() const
{
    const std::lock_guard lock(_mutex);
    return _lastAudience;
}

std::string FakeCredentials::lastProof() const
{
    const std::lock_guard lock(_mutex);
    return _lastProof;
}

TestService::TestService(std::string id)
{
    manifest->serviceId = id;
    manifest->version = "1.2.3";
    manifest->name = "Test " + id;
    manifest->servesPersonal = true;
    origins = {"http://" + id + ".localhost:8080"};
}

plugins::RouteInfo& TestService::route(Method method, std::string pattern, Access access, LambdaHandler::Function function)
{
    if (!function) function = [](Request&, Response& response) { response.json(200, "{}"); };
    auto& info = routes.emplace_back();
    info.method = method;
    info.pattern = std::move(pattern);
    info.access = std::move(access);
    info.operation = R"({"operationId":"o)" + std::to_string(functions.size()) + R"(","tags":["t"],"responses":{}})";
    info.slot = functions.size();
    functions.push_back(std::move(function));
    return info;
}

plugins::PublishedService TestService::publish()
{
    plugins::PublishedService published;
    published.manifest = manifest;
    published.status = status;
    published.registered = registered;
    published.origins = origins;
    published.routes = std::make_shared<const std::vector<plugins::RouteInfo>>(routes);
    if (pages) published.pages = std::make_shared<const std::vector<plugins::PageBuild>>();
    if (status != plugins::ServiceStatus::Serving) return published;
    generation = std::make_shared<plugins::Generation>(manifest, ++generations);
    std::vector<std::unique_ptr<Handler>> handlers;
    for (const auto& function : functions) handlers.push_back(std::make_unique<LambdaHandler>(function, check));
    generation->setHandlers(std::move(handlers));
    generation->setCanReadWithoutBlocking([this] { return canReadWithoutBlocking; });
    generation->serve();
    published.generation = generation;
    return published;
}

std::string Answer::header(std::string_view name) const
{
    const auto start = ("\r\n" + headerBlock).find("\r\n" + std::string(name) + ": ");
    if (start == std::string::npos) return {};
    const auto value = start + name.size() + 2;
    return headerBlock.substr(value, headerBlock.find("\r\n", value) - value);
}

std::string Answer::at(std::string_view pointer) const
{
    const auto document = boost::json::parse(body);
    const auto& found = document.at_pointer(pointer);
    return found.is_string() ? std::string(found.as_string()) : boost::json::serialize(found);
}

std::string Answer::code() const
{
    equal("application/problem+json", contentType);
    equal(std::to_string(status), at("/status"));
    equal("req-1", at("/requestId"));
    return at("/code");
}

OpenExchange::OpenExchange(const Call& given, const Clock& clock) : call(given)
{
    for (const auto& [name, value] : call.headers) fields.push_back({name, value});
    auto& request = exchange.request;
    request.method = call.method;
    request.path = call.path;
    request.query = call.query;
    request.headers = fields;
    request.clientAddress = call.client;
    request.requestId = "req-1";
    request.secure = call.secure;
    exchange.host = call.host;
    exchange.listenerService = call.listener;
    exchange.announcedBytes = call.body.size();
    if (request.hasHeader("Content-Length")) exchange.announcedBytes = std::stoull(std::string(request.header("Content-Length")));
    if (request.hasHeader("Transfer-Encoding")) exchange.announcedBytes.reset();
    exchange.started = clock.steady();
}

World::World(Settings chosen) : settings(std::move(chosen)) {}

TestService& World::service(const std::string& id) { return _services.try_emplace(id, id).first->second; }

void World::publish()
{
    std::vector<plugins::PublishedService> published;
    for (auto& [id, service] : _services) published.push_back(service.publish());
    publisher.publish(std::move(published));
}

Dispatcher& World::dispatcher()
{
    const auto find = [this]
    {
        return credentialsPresent ? Leased<interfaces::Credentials>(&credentials, std::make_unique<NoLease>())
                                  : Leased<interfaces::Credentials>();
    };
    if (!_dispatcher) _dispatcher.emplace(Environment{table, clock, log, find, idempotency, health}, settings);
    return *_dispatcher;
}

Caller& World::caller(const std::string& credential)
{
    auto& caller = credentials.callers[credential];
    caller.principalId = "usr_" + credential;
    caller.principalType = "user";
    return caller;
}

Answer World::answerOf(const http::Exchange& exchange, const http::Admission& admission)
{
    const auto& response = exchange.response;
    return {response.status, response.body, response.contentType, response.cacheControl, response.etag, response.headerBlock(), admission};
}

void World::start(OpenExchange& open)
{
    auto& exchange = open.exchange;
    const auto admission = dispatcher().admit(exchange);
    if (admission.answered) return;
    if (admission.prepareFirst && !dispatcher().prepare(exchange)) return;
    if (admission.body == http::BodyMode::Memory) exchange.request.body = open.call.body;
    if (admission.body == http::BodyMode::File) exchange.request.file = open.call.file;
    dispatcher().handle(exchange);
}

Answer World::send(const Call& call)
{
    OpenExchange open(call, clock);
    auto& exchange = open.exchange;
    const auto admission = dispatcher().admit(exchange);
    const bool wanted = !admission.answered && (!admission.prepareFirst || dispatcher().prepare(exchange));
    if (wanted)
    {
        if (admission.body == http::BodyMode::Memory) exchange.request.body = open.call.body;
        if (admission.body == http::BodyMode::File) exchange.request.file = open.call.file;
        dispatcher().handle(exchange);
    }
    auto answer = answerOf(exchange, admission);
    exchange.response.source.reset();
    exchange.delivered = true;
    dispatcher().finished(exchange);
    return answer;
}

TwoServices::TwoServices(Settings chosen) : World(std::move(chosen))
{
    auto& crm = service("crm");
    const auto echo = [](Request& request, Response& response)
    {
        std::string text;
        for (const auto& value : request.pathParameters()) text += "[" + value + "]";
        response.json(200, text);
    };
    crm.route(Method::Get, "/api", access::open());
    crm.route(Method::Get, "/api/contacts", access::bearerOrKey("crm.contacts:read", "contacts.read"));
    auto& create = crm.route(Method::Post, "/api/contacts", access::bearerOrKey("crm.contacts:write", "contacts.write"),
                             [](Request& request, Response& response) { response.json(201, std::string(request.body)); });
    create.body = BodyKind::Json;
    create.idempotencyKey = true;
    crm.route(Method::Get, "/api/contacts/{id}", access::open(), echo);
    crm.route(Method::Get, "/api/contacts/{id}/notes/{note}", access::open(), echo);
    crm.route(Method::Get, "/api/profile", access::bearer());

    auto& identity = service("identity");
    identity.route(Method::Get, "/api/auth/me", access::bearer()).onEveryOrigin = true;
    identity
        .route(Method::Get, "/validate", access::bearer(),
               [](Request& request, Response& response)
               { response.json(200, std::string(request.originService) + " " + request.caller->principalId); })
        .onEveryOrigin = true;
    identity.route(Method::Post, "/api/auth/login", access::open()).onEveryOrigin = true;
    auto& refresh = identity.route(Method::Post, "/api/auth/refresh", access::cookie());
    refresh.onEveryOrigin = true;
    refresh.body = BodyKind::Json;
    identity.route(Method::Get, "/sso/exchange", access::open());
    identity.route(Method::Get, "/api/organizations", access::bearer());
    using enum plugins::RetiredPath::Origins;
    identity.manifest->retired = {{"/sso", "token", Every},
                                  {"/sso/handoff", {}, Every},
                                  {"/auth/callback", "token", Every},
                                  {"/auth/callback", "access_token", Every},
                                  {"/sso/exchange", {}, Others}};
    auto& reader = caller("reader");
    reader.permissions = {"crm.contacts:read"};
    publish();
}

} // namespace routing_tests
