#include "integrations/ConnectRoutes.h"

#include "integrations/IntegrationRoutes.h"
#include "networks/Urls.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"
#include "portico/interfaces/Directory.h"

#include <algorithm>
#include <chrono>

namespace portico::social
{

namespace
{
constexpr auto wayLife = std::chrono::minutes(10);
constexpr std::string_view connectCookie = "social_connect", connectCookiePath = "/api/integrations";

std::string wayKey(std::string_view state) { return "social-connect:" + sha256(state).hex(); }
std::string keepPurpose(std::string_view state) { return "connect:" + sha256(state).hex(); }

std::string valueOf(const RawQuery& query, std::string_view name)
{
    for (const auto& [key, value] : query.values)
        if (key == name) return value;
    return {};
}

/// Returns a network's error code for the `returnUrl`: a word, or `failed`.
std::string errorCodeOf(std::string_view text)
{
    const bool word =
        !text.empty() && text.size() <= 60 && std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
    return word ? std::string(text) : "failed";
}

std::string withOutcome(const std::string& url, std::string_view name, std::string_view value)
{
    const auto fragment = std::min(url.find('#'), url.size());
    const auto base = url.substr(0, fragment);
    return base + (base.find('?') == std::string::npos ? "?" : "&") + toQuery({{std::string(name), std::string(value)}}) +
           url.substr(fragment);
}

/// The field of the request that a fault without one is about.
std::string_view mainField(ConnectKind kind)
{
    switch (kind)
    {
    case ConnectKind::Url:
        return "url";
    case ConnectKind::AppPassword:
        return "identifier";
    default:
        return "instanceUrl";
    }
}

Problem problemOf(const ConnectFault& fault, ConnectKind kind)
{
    return Problem::invalid(fault.field.empty() ? mainField(kind) : std::string_view(fault.field), fault.code, fault.what());
}
} // namespace

void ConnectRoutes::declare(Routes& routes)
{
    routes
        .post("/api/integrations/{platform}/connect", access::bearer("accounts:write"), &ConnectRoutes::connect, this,
              {.summary = "Connect an account, or start the sign-in at its network",
               .execution = Execution::Long,
               .idempotencyKey = false,
               .problems = {"400 brand_required", "400 brand_mismatch", "409 provider_not_connectable"}})
        .get("/api/integrations/{platform}/callback", access::open(), &ConnectRoutes::callback, this,
             {.summary = "Return from the sign-in page of a network", .execution = Execution::Long, .statuses = {302}});
}

std::string ConnectRoutes::redirectUri(Platform platform) const
{
    return _context.host().origin + "/api/integrations/" + std::string(toString(platform)) + "/callback";
}

Network& ConnectRoutes::requireConnectable(Session& session, Tenant tenant, const BrandId& brand, Platform platform) const
{
    const auto judgement = _readiness.of(session, platform, accountsOf(session, tenant, brand));
    auto* network = _networks.find(platform);
    if (network == nullptr || !judgement.isConnectable())
        throw Problem::conflict("provider_not_connectable", "This network is not set up on this server.")
            .withDetails(NotConnectable{platform, judgement.readiness, judgement.reasons});
    return *network;
}

std::string ConnectRoutes::requireReturnUrl(const std::optional<std::string>& url) const
{
    if (!url || url->empty()) throw Problem::invalid("returnUrl", "required", "Must be present");
    const auto& origin = _context.host().origin;
    if (isLocalPath(*url)) return *url;
    const bool printable = std::ranges::all_of(*url, [](char c) { return c > ' ' && c < 0x7f && c != '\\'; });
    if (printable && (*url == origin || url->starts_with(origin + "/") || url->starts_with(origin + "?"))) return *url;
    throw Problem::invalid("returnUrl", "not_allowed", "Expected a path or URL of " + origin);
}

Reply<ConnectAnswer> ConnectRoutes::connect(const Request& request, const BrandHeader& brand, const Path<Platform>& platform,
                                            const Body<ConnectBody>& body) const
{
    const auto& caller = *request.caller;
    const auto tenant = caller.tenant();
    std::optional<BrandId> brandId;
    Network* network = nullptr;
    {
        auto session = _context.database().session();
        brandId = requireBrand(session, caller, brand, std::nullopt, body->brandId);
        network = &requireConnectable(session, tenant, *brandId, *platform);
    }
    StartedConnect started{caller.organizationId, *brandId, *platform, caller.principalId, caller.displayName, {}, {}, {}};
    if (network->connectKind() == ConnectKind::CodeFlow)
        started.returnUrl = requireReturnUrl(body->returnUrl);
    else if (body->returnUrl)
        requireReturnUrl(body->returnUrl);

    const auto state = randomToken();
    ConnectStart start;
    try
    {
        start = network->connect({.instanceUrl = body->instanceUrl,
                                  .identifier = body->identifier,
                                  .appPassword = body->appPassword,
                                  .url = body->url,
                                  .secret = body->secret,
                                  .redirectUri = redirectUri(*platform),
                                  .state = state});
    }
    catch (const ConnectFault& fault)
    {
        throw problemOf(fault, network->connectKind());
    }
    if (!start.account && started.returnUrl.empty()) started.returnUrl = requireReturnUrl(body->returnUrl);
    if (!start.account) return begin(request, std::move(started), state, std::move(start));

    auto stored = _service.store(Doer::of(request), tenant, *brandId, *platform, *start.account);
    auto session = _context.database().session();
    Reply<ConnectAnswer> answer;
    answer.record.integration = shownAccount(session, _readiness, std::move(stored), accountsOf(session, tenant, *brandId));
    if (network->connectKind() == ConnectKind::Url && body->secret.empty()) answer.record.secret = start.account->credentials.signingSecret;
    return answer;
}

Reply<ConnectAnswer> ConnectRoutes::begin(const Request& request, StartedConnect started, const std::string& state,
                                          ConnectStart start) const
{
    const auto now = _context.clock().now();
    // One cookie for all the ways that a browser is on.
    const auto known = request.cookie(connectCookie);
    const auto browser = fromBase64Url(known).value_or("").size() == 32 ? std::string(known) : randomToken();
    started.browser = sha256(browser).hex();
    started.keep = _vault.sealer().seal(start.keep, keepPurpose(state));
    _context.database().transact(
        [&](Transaction& transaction)
        {
            audit::record(transaction, request.caller->tenant(), Doer::of(request),
                          {.kind = AuditKind::IntegrationConnectStarted,
                           .brandId = started.brandId,
                           .data = {R"({"platform":")" + std::string(toString(started.platform)) + "\"}"}},
                          now);
        });
    _context.state().put(wayKey(state), toJson(started), wayLife);
    Reply<ConnectAnswer> answer;
    answer.record.authorizationUrl = start.authorizationUrl;
    answer.record.state = state;
    answer.record.expiresAt = now + wayLife;
    answer.cookies.push_back(SetCookie(
        connectCookie, browser, {.maxAge = wayLife, .secure = _context.host().origin.starts_with("https://"), .path = connectCookiePath}));
    return answer;
}

StartedConnect ConnectRoutes::take(const Request& request, Platform platform, const std::string& state) const
{
    const auto refused = []
    {
        return Problem::invalid("state", "invalid_state",
                                "The sign-in has expired or was started in another browser. Connect the account again");
    };
    auto& store = _context.state();
    const auto entry = state.empty() ? std::nullopt : store.get(wayKey(state));
    if (!entry) throw refused();
    auto started = fromStoredJson<StartedConnect>(entry->value);
    if (started.platform != platform || !sameSecret(sha256(request.cookie(connectCookie)).hex(), started.browser)) throw refused();
    if (!store.take(wayKey(state))) throw refused();
    return started;
}

Redirect ConnectRoutes::callback(const Request& request, const Path<Platform>& platform, const RawQuery& query) const
{
    const auto state = valueOf(query, "state");
    const auto started = take(request, *platform, state);
    const auto code = valueOf(query, "code");
    const auto error = code.empty() ? errorCodeOf(valueOf(query, "error")) : finish(started, state, query, request);
    if (error.empty()) return {withOutcome(started.returnUrl, "connected", "1"), 302};
    return {withOutcome(started.returnUrl, "error", error), 302};
}

/// Stores the account. @return a code for the `returnUrl`, empty: it is connected
std::string ConnectRoutes::finish(const StartedConnect& started, const std::string& state, const RawQuery& query,
                                  const Request& request) const
{
    const auto tenant = Tenant::fromStored(started.organizationId);
    // Ten minutes are long enough to lose a permission.
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) return "unavailable";
    if (!directory->memberMay(tenant, started.userId, "social.accounts:write")) return "permission_denied";
    auto* network = _networks.find(started.platform);
    const auto keep = _vault.isReady() ? _vault.sealer().tryOpen(started.keep, keepPurpose(state)) : std::nullopt;
    if (network == nullptr || !keep) return "expired";
    const Doer doer{{ActorType::User, started.userId, started.displayName}, std::string(request.requestId)};
    try
    {
        const auto code = valueOf(query, "code"), issuer = valueOf(query, "iss"), uri = redirectUri(started.platform);
        _service.store(doer, tenant, started.brandId, started.platform, network->finish(*keep, {code, issuer, uri}));
        return {};
    }
    catch (const ConnectFault& fault)
    {
        _context.logger().information("A network rejected the connection of an account",
                                      {{"platform", std::string(toString(started.platform))}, {"code", fault.code}});
        return errorCodeOf(fault.code);
    }
    catch (const Problem& problem)
    {
        return errorCodeOf(problem.code());
    }
}

} // namespace portico::social
