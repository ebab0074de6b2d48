#include "oauth/DeviceRoutes.h"

#include "catalog/CatalogStore.h"
#include "common/Networks.h"
#include "oauth/Consents.h"
#include "oauth/OAuthError.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// Without vowels, so that no words come up, and without what looks alike (RFC 8628, 6.1).
constexpr std::string_view userCodeLetters = "BCDFGHJKLMNPQRSTVWXZ";
constexpr std::size_t userCodeSize = 8;

struct DeviceAnswer
{
    std::string deviceCode;
    std::string userCode;
    std::string verificationUri;
    std::string verificationUriComplete;
    std::int64_t expiresIn = 0;
    std::int64_t interval = 0;
};

constexpr auto schemaOf(const DeviceAnswer*)
{
    return describe(field<&DeviceAnswer::deviceCode>("device_code"), field<&DeviceAnswer::userCode>("user_code"),
                    field<&DeviceAnswer::verificationUri>("verification_uri"),
                    field<&DeviceAnswer::verificationUriComplete>("verification_uri_complete"),
                    field<&DeviceAnswer::expiresIn>("expires_in"), field<&DeviceAnswer::interval>());
}

std::string deviceKey(std::string_view deviceCode) { return "oauth-device:" + sha256(deviceCode).hex(); }

std::string userCodeKey(std::string_view userCode) { return "oauth-user-code:" + std::string(userCode); }

/// Returns the displayed form `BCDF-GHJK`; empty for invalid codes.
std::string normalized(std::string_view typed)
{
    std::string code;
    for (char c : typed)
    {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
        if (userCodeLetters.find(c) == std::string_view::npos) continue;
        if (code.size() == userCodeSize / 2) code += '-';
        code += c;
    }
    return code.size() == userCodeSize + 1 ? code : std::string();
}

/// Returns the page's requirements on the browser's sign-in. The request continues at the page with these parameters.
SignInPrompt devicePrompt(UrlParameters parameters)
{
    SignInPrompt wanted;
    wanted.serviceId = identityServiceId;
    wanted.path = "/device";
    wanted.parameters = std::move(parameters);
    return wanted;
}

} // namespace

void DeviceRequests::put(const std::string& key, const DeviceRequest& request) const
{
    const auto left = request.expiresAt - _core.clock.now();
    if (left.count() > 0) _core.state.put(key, toJson(request), left);
}

DeviceRequests::Started DeviceRequests::start(const OAuthClient& client, const std::string& scope) const
{
    Started started{randomToken(), normalized(randomText(userCodeSize, userCodeLetters))};
    DeviceRequest request;
    request.clientId = client.clientId;
    request.scope = scope;
    request.userCode = started.userCode;
    request.expiresAt = _core.clock.now() + _core.settings.lifetimes.deviceCode;
    const auto key = deviceKey(started.deviceCode);
    // Two devices with one code: 20^8 of them, and ten minutes.
    if (!_core.state.compareAndSet(userCodeKey(started.userCode), 0, key, _core.settings.lifetimes.deviceCode)) return start(client, scope);
    put(key, request);
    return started;
}

std::optional<DeviceRequest> DeviceRequests::findByUserCode(std::string_view typed) const
{
    const auto key = _core.state.get(userCodeKey(normalized(typed)));
    const auto entry = key ? _core.state.get(key->value) : std::nullopt;
    if (!entry) return std::nullopt;
    auto request = fromStoredJson<DeviceRequest>(entry->value);
    return request.state == DeviceState::Pending ? std::optional(std::move(request)) : std::nullopt;
}

bool DeviceRequests::decide(const DeviceRequest& decided) const
{
    // The code allows one decision.
    const auto key = _core.state.take(userCodeKey(decided.userCode));
    if (!key || !_core.state.get(*key)) return false;
    put(*key, decided);
    return true;
}

DeviceRequest DeviceRequests::poll(const std::string& deviceCode, const OAuthClient& client) const
{
    const auto key = deviceKey(deviceCode);
    const auto entry = _core.state.get(key);
    if (!entry) throw OAuthError(400, "expired_token", "device_code has expired, or was used.");
    auto request = fromStoredJson<DeviceRequest>(entry->value);
    if (request.clientId != client.clientId) throw OAuthError::invalidGrant("device_code belongs to another client.");
    if (request.state == DeviceState::Denied)
    {
        _core.state.remove(key);
        throw OAuthError(400, "access_denied", "The person does not allow it.");
    }
    if (request.state == DeviceState::Approved) return request;
    const auto now = _core.clock.now();
    const bool tooSoon = now - request.polledAt < _core.settings.lifetimes.devicePoll;
    request.polledAt = now;
    // Does not overwrite a concurrent decision, which the next poll returns.
    _core.state.compareAndSet(key, entry->version, toJson(request), request.expiresAt - now);
    throw OAuthError(400, tooSoon ? "slow_down" : "authorization_pending");
}

void DeviceRequests::forget(const std::string& deviceCode) const { _core.state.remove(deviceKey(deviceCode)); }

DeviceRoutes::DeviceRoutes(Core& core, const Pages& pages, SignInFlow& flow)
    : _core(core),
      _flow(flow),
      _clients(core),
      _requests(core),
      _gate(core, pages),
      _page(pages.bind("device", &DevicePage::form)),
      _guesses(core.state, core.clock, {.use = "device-code-guesses", .limit = 20, .window = std::chrono::minutes(1)}),
      _anonymous(core.state, core.clock, {.use = "anonymous-devices", .limit = 60})
{
}

void DeviceRoutes::declare(Routes& routes)
{
    const RouteOptions page{.summary = "Authorize a device", .idempotencyKey = false, .undocumented = true};
    routes
        .post("/oauth/device_authorization", access::open(), &DeviceRoutes::authorization, this,
              {.summary = "Start a device authorization (RFC 8628)",
               .description = needsClientAuthentication,
               .bodyLimit = 16 * 1024,
               .idempotencyKey = false,
               .crossOrigin = CrossOrigin::anyone(),
               .consumes = {"application/x-www-form-urlencoded"},
               .produces = {"application/json"},
               .anyQuery = true})
        .get("/device", access::open(), &DeviceRoutes::show, this, page)
        .post("/device", access::open(), &DeviceRoutes::decide, this, page);
}

std::optional<OAuthClient> DeviceRoutes::clientOf(const DeviceRequest& request) const
{
    return _core.read([&](Session& session) { return oauth_clients::find(session, request.clientId); });
}

Response DeviceRoutes::authorization(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto form = formValues(body);
            const auto client = _clients.require(request, form);
            if (client.tokenEndpointAuthMethod == ClientAuthMethod::None) _anonymous.require(networkPrefix(request.clientAddress));
            if (!client.hasGrant(grant::device)) throw OAuthError(400, "unauthorized_client", "This client may not use this grant.");
            const auto scope = allowedScope(client, fieldOf(form, "scope"));
            if (scope.empty()) throw OAuthError(400, "invalid_scope", "scope names nothing that the client is registered for.");
            const auto started = _requests.start(client, scope);
            DeviceAnswer answer;
            answer.deviceCode = started.deviceCode;
            answer.expiresIn = _core.settings.lifetimes.deviceCode.count();
            answer.interval = _core.settings.lifetimes.devicePoll.count();
            answer.userCode = started.userCode;
            answer.verificationUri = _core.origin + "/device";
            answer.verificationUriComplete = withQuery(answer.verificationUri, {{"user_code", started.userCode}});
            return jsonAnswer(toJson(answer));
        });
}

Response DeviceRoutes::unknownCode(const Request& request, std::string_view typed) const
{
    DevicePage shown;
    shown.enter = true;
    shown.form.fields["user_code"].value = typed;
    auto problem = Problem::notFound("No device waits for this code.");
    problem.with({"user_code", "unknown_code", "No device waits for this code"});
    return _page.refuse(request, std::move(shown), problem);
}

DevicePage DeviceRoutes::confirmPage(const DeviceRequest& waiting, const OAuthClient& client, const std::string& email)
{
    DevicePage shown;
    shown.confirm = true;
    shown.form.show(DeviceInput{waiting.userCode, {}});
    shown.clientName = client.name;
    shown.email = email;
    showScope(shown, waiting.scope);
    return shown;
}

Response DeviceRoutes::show(const Request& request, const RawQuery& query)
{
    auto outcome = _gate.pass(request, devicePrompt(query.values));
    if (auto* const other = std::get_if<Response>(&outcome)) return std::move(*other);
    const auto typed = fieldOf(query.values, "user_code");
    if (typed.empty())
    {
        DevicePage shown;
        shown.enter = true;
        return _page.show(request, std::move(shown));
    }
    _guesses.require(networkPrefix(request.clientAddress));
    const auto waiting = _requests.findByUserCode(typed);
    const auto client = waiting ? clientOf(*waiting) : std::nullopt;
    if (!client) return unknownCode(request, typed);
    // Shows the page also if the link contains the code: users compare it with their device (RFC 8628, 3.3.1).
    return _page.show(request, confirmPage(*waiting, *client, std::get<SignedInBrowser>(outcome).user.email));
}

std::optional<Response> DeviceRoutes::approve(const Request& request, DeviceRequest& waiting, const OAuthClient& client,
                                              const SignedInBrowser& browser) const
{
    try
    {
        waiting.organizationId =
            _flow.service().contextFor(browser.user, SignInRequest::forClient(client, browser.session, Client::of(request)));
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 403) throw;
        if (problem.code() == "org_policy_session_too_old") return _gate.toLogin(devicePrompt({{"user_code", waiting.userCode}}));
        DevicePage shown;
        shown.clientName = client.name;
        shown.refused = true;
        return _page.show(request, std::move(shown), {.status = 403});
    }
    waiting.userId = browser.user.id.text();
    waiting.browserSessionId = browser.session.id;
    waiting.state = DeviceState::Approved;
    // Before the device can come for it.
    if (client.consent == ConsentMode::Explicit)
        _core.database.transact(
            [&](Transaction& transaction)
            { consents::grant(transaction, browser.user.id, client, waiting.scope, Client::of(request), _core.clock.now()); });
    return std::nullopt;
}

Response DeviceRoutes::decide(const Request& request, const Form<DeviceInput>& form)
{
    const auto browser = _gate.current(request);
    _guesses.require(networkPrefix(request.clientAddress));
    auto waiting = _requests.findByUserCode(form.sent().userCode);
    const auto client = waiting ? clientOf(*waiting) : std::nullopt;
    if (!browser || !client) return unknownCode(request, form.sent().userCode);
    return _page.submit(request, form, confirmPage(*waiting, *client, browser->user.email),
                        [&](const DeviceInput& input)
                        {
                            DevicePage done;
                            done.clientName = client->name;
                            waiting->state = DeviceState::Denied;
                            if (input.decision == ConsentAnswer::Allow)
                                if (auto refusal = approve(request, *waiting, *client, *browser)) return *std::move(refusal);
                            if (!_requests.decide(*waiting)) return unknownCode(request, input.userCode);
                            (waiting->state == DeviceState::Approved ? done.allowed : done.denied) = true;
                            return _page.show(request, std::move(done));
                        });
}

} // namespace portico::identity
