#include "World.h"

#include "users/User.h"

#include "portico/Json.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace portico::tests
{

namespace
{

std::vector<std::string_view> segments(std::string_view path)
{
    std::vector<std::string_view> parts;
    while (!path.empty())
    {
        path.remove_prefix(1);
        const auto slash = path.find('/');
        parts.push_back(path.substr(0, slash));
        path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
    }
    return parts;
}

bool matches(std::string_view pattern, std::string_view path, Request& request)
{
    const auto wanted = segments(pattern);
    const auto found = segments(path);
    if (wanted.size() != found.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (!wanted[i].starts_with('{') && wanted[i] != found[i]) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i].starts_with('{')) request.addPathParameter(std::string(found[i]));
    return true;
}

boost::json::value parse(const std::string& text) { return text.empty() ? boost::json::value() : boost::json::parse(text); }

Answer answerOf(const Problem& problem)
{
    Answer answer;
    answer.status = problem.status();
    answer.code = problem.code();
    answer.body = parse(problem.toJson("test"));
    for (const auto& [name, value] : problem.headers()) answer.headers += name + ": " + value + "\r\n";
    return answer;
}

} // namespace

std::string Answer::cookie(std::string_view name) const
{
    const auto start = headers.find("Set-Cookie: " + std::string(name) + "=");
    if (start == std::string::npos) return {};
    const auto value = headers.find('=', start) + 1;
    return headers.substr(value, headers.find_first_of(";\r", value) - value);
}

std::map<std::string, std::string, std::less<>> defaultSettings()
{
    std::map<std::string, std::string, std::less<>> settings;
    const auto manifest = boost::json::parse(World::identityManifest());
    for (const auto& [key, setting] : manifest.at_pointer("/plugin/config").as_object())
    {
        const auto& value = setting.at("default");
        const auto& text = value.is_array() ? value.at(0) : value; // a list has one item here
        settings[std::string(key)] = text.is_string() ? std::string(text.as_string()) : boost::json::serialize(text);
    }
    return settings;
}

World::World(Dialect dialect, std::map<std::string, std::string, std::less<>> settings)
    : context(dialect,
              [&]
              {
                  auto all = defaultSettings();
                  for (auto& [key, value] : settings) all[key] = value;
                  return all;
              }())
{
    start();
    publish({identityManifest(), deskManifest()});
}

World::~World() { plugin->stop(); }

void World::start()
{
    plugin = std::make_unique<identity::IdentityPlugin>(context);
    plugin->start();
    Routes routes;
    plugin->declare(routes);
    _routes = routes.take();
}

void World::reload()
{
    plugin->stop();
    _routes.clear();
    start();
}

std::string World::identityManifest()
{
    std::ifstream file(PORTICO_IDENTITY_MANIFEST);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string World::deskManifest()
{
    return R"({"manifestVersion":1,"service_id":"desk","version":"1.0.0","name":"Desk","plugin":{},"surface_kind":"application",
      "surface_group":"business","contexts":["organization"],"launchUrl":"/","origins":["https://desk.example"],
      "permissions":[{"permission":"desk.tickets:read","title":"Read"},{"permission":"desk.tickets:write","title":"Write"},
        {"permission":"desk.tickets:purge","title":"Purge","risk":"high","apiKeyExempt":true},
        {"permission":"desk.settings:write","title":"Settings","risk":"high"},{"permission":"desk.api_keys:manage","title":"Keys","risk":"high"}],
      "roleBundles":[{"id":"desk-guest","title":"Guest","roles":["guest"],"permissions":[]},
        {"id":"desk-member","title":"Member","roles":["member"],"permissions":["desk.tickets:read","desk.tickets:write"]},
        {"id":"desk-admin","title":"Admin","roles":["admin","super_admin","owner"],"permissions":["desk.*:*"]}],
      "apiKeyScopes":[{"scope":"tickets.read","title":"Read","permissions":["desk.tickets:read"],"bindable":["queue"]},
        {"scope":"tickets.write","title":"Write","permissions":["desk.tickets:write"],"bindable":[]},
        {"scope":"settings.write","title":"Settings","permissions":["desk.settings:write"]},
        {"scope":"api_keys.write","title":"Keys","permissions":["desk.api_keys:manage"]}],
      "bindableResources":[{"type":"queue","title":"Queue","idPattern":"^que_[0-9a-z]{26}$"}]})";
}

std::vector<interfaces::Registration> World::publish(const std::vector<std::string>& manifests, std::string_view hostId)
{
    std::vector<interfaces::RegisteredService> services;
    for (const auto& text : manifests)
    {
        interfaces::RegisteredService service;
        service.manifest = text;
        service.manifestSha256 = std::string(64, 'a');
        service.origin = "http://" + std::string(boost::json::parse(text).at("service_id").as_string()) + ".localhost:8080";
        services.push_back(std::move(service));
    }
    return context.fakeServices.get<interfaces::ServiceRegistry>().publish(hostId, services);
}

void World::authorize(const RouteDeclaration& route, const Call& call, Request& request)
{
    if (route.access.open || (call.credential.empty() && route.access.cookie)) return;
    if (call.credential.empty()) throw Problem::unauthorized("authentication_required");
    const bool isKey = call.credential.starts_with("pak_");
    if (isKey && !route.access.apiKey) throw Problem::forbidden("bearer_required");
    const auto named = call.origin == "identity" && route.onEveryOrigin ? request.header("X-Service-ID") : std::string_view();
    auto caller = validate(call.credential, named.empty() ? call.origin : named, !route.onEveryOrigin || !route.access.permission.empty(),
                           call.address);
    if (isKey && !route.access.scope.empty() && !caller->hasScope(route.access.scope)) throw Problem::forbidden("insufficient_scope");
    if (!route.access.permission.empty() && !caller->may(route.access.permission)) throw Problem::forbidden("permission_denied");
    request.caller = caller.get();
    const std::scoped_lock lock(_callersMutex);
    _callers.push_back(std::move(caller));
}

Answer World::dispatch(const RouteDeclaration& route, const Call& call, Request& request)
{
    try
    {
        authorize(route, call, request);
        Response response;
        route.handler->handle(request, response);
        Answer answer;
        answer.status = response.status;
        answer.body = parse(response.body);
        answer.headers = response.headerBlock();
        answer.etag = response.etag;
        return answer;
    }
    catch (const Problem& problem)
    {
        return answerOf(problem);
    }
}

Answer World::call(const Call& call)
{
    Request request;
    const auto question = call.path.find('?');
    request.method = call.method;
    request.path = std::string_view(call.path).substr(0, question);
    if (question != std::string::npos) request.query = std::string_view(call.path).substr(question + 1);
    const std::string origin = "http://" + call.origin + ".localhost:8080";
    const std::string bearer = "Bearer " + call.credential;
    std::vector<HeaderField> headers;
    for (const auto& [name, value] : call.headers) headers.push_back({name, value});
    if (!call.body.empty()) headers.push_back({"Content-Type", "application/json"});
    if (call.credential.starts_with("pak_"))
        headers.push_back({"X-Api-Key", call.credential});
    else if (!call.credential.empty())
        headers.push_back({"Authorization", bearer});
    request.headers = headers;
    request.body = call.body;
    request.originService = call.origin;
    request.origin = origin;
    request.clientAddress = call.address;
    request.requestId = "test";
    request.clock = &context.clock();
    request.cursorKey = "0123456789abcdef0123456789abcdef";
    // A literal wins over a parameter, as in the host.
    const RouteDeclaration* found = nullptr;
    for (const auto& route : _routes)
    {
        Request probe;
        if (route.method == call.method && matches(route.pattern, request.path, probe) &&
            (!found || found->pattern.find('{') != std::string::npos))
            found = &route;
    }
    if (!found) return answerOf(Problem::notFound());
    matches(found->pattern, request.path, request);
    request.route = found->pattern;
    return dispatch(*found, call, request);
}

Answer World::login(std::string_view email, std::string_view secret, std::string_view service, std::string_view extra,
                    std::vector<std::pair<std::string, std::string>> headers, std::string origin)
{
    std::string body = R"({"identifier":")" + std::string(email) + R"(","password":")" + std::string(secret) + R"(","service_id":")" +
                       std::string(service) + '"' + std::string(extra) + '}';
    return call({.method = Method::Post,
                 .path = "/api/auth/login",
                 .body = std::move(body),
                 .headers = std::move(headers),
                 .origin = std::move(origin)});
}

Answer World::browserLogin(std::string_view email, std::string_view extra)
{
    return login(email, password, "desk", extra, {{"X-Platform-Auth", "1"}, {"Origin", "http://desk.localhost:8080"}}, "desk");
}

std::string World::signIn(std::string_view email, std::string_view service, std::string_view extra)
{
    const auto answer = login(email, password, service, extra);
    if (answer.status != 200) throw std::runtime_error("sign-in of " + std::string(email) + ": " + boost::json::serialize(answer.body));
    return answer.text("/access_token");
}

std::shared_ptr<const Caller> World::validate(std::string_view credential, std::string_view service, bool requireAccess,
                                              std::string_view address)
{
    const auto kind = credential.starts_with("pak_") ? CredentialKind::ApiKey : CredentialKind::AccessToken;
    return context.fakeServices.get<interfaces::Credentials>().validate({kind, credential, service, address, requireAccess});
}

std::shared_ptr<const Caller> World::validateCached(std::string_view credential, std::string_view service)
{
    const auto kind = credential.starts_with("pak_") ? CredentialKind::ApiKey : CredentialKind::AccessToken;
    return context.fakeServices.get<interfaces::Credentials>().validateCached({kind, credential, service, "192.0.2.7", true});
}

std::string World::verdict(std::string_view credential, std::string_view service, std::string_view address)
{
    try
    {
        validate(credential, service, true, address);
        return "ok";
    }
    catch (const Problem& problem)
    {
        if (problem.details().empty()) return problem.code();
        return std::string(boost::json::parse(problem.details()).at("reason").as_string());
    }
}

std::string World::createUser(std::string_view email, std::string_view organization, std::string_view role, std::string_view platformRole)
{
    // So that what is made later is later.
    context.testClock.advance(std::chrono::milliseconds(1));
    interfaces::Accounts::NewUser user;
    user.email = email;
    user.password = password;
    user.organizationSlug = organization;
    user.role = role;
    user.platformRole = platformRole;
    auto& accounts = context.fakeServices.get<interfaces::Accounts>();
    const auto known =
        context.database().session().value<std::int64_t>("SELECT 1 FROM users WHERE email_key = $1", identity::emailKey(email));
    return (known ? accounts.joinUser(user) : accounts.createUser(user)).userId;
}

std::string World::organizationId(std::string_view slug)
{
    return context.database().session().value<std::string>("SELECT id FROM organizations WHERE slug = $1", slug).value();
}

void World::change(std::string_view sql, const std::vector<std::string>& arguments)
{
    std::vector<SqlValue> values(arguments.begin(), arguments.end());
    identity::Changes(context).run([&](Transaction& transaction) { transaction.executeValues(sql, values); });
}

std::int64_t World::count(std::string_view sql) { return context.database().session().value<std::int64_t>(sql).value_or(-1); }

} // namespace portico::tests
