#include "external/OAuthRoutes.h"

#include "external/ExternalSources.h"
#include "external/OAuthTokens.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr auto wayLife = std::chrono::minutes(10);
constexpr std::chrono::milliseconds connectTimeout{20'000};
constexpr std::string_view callbackPath = "/api/external-calendars/callback", cookieName = "calendar_connect";

std::string wayKey(const std::string& state) { return "calendar-consent:" + sha256(state).hex(); }

Redirect toCalendars(std::string_view name, std::string_view value)
{
    return {withQuery("/app/calendars", {{std::string(name), std::string(value)}})};
}
} // namespace

void OAuthRoutes::declare(Routes& routes)
{
    // Not for API keys: the flow needs a browser that returns.
    routes
        .post("/api/admin/external-calendars/{calendarId}/authorize", access::bearer("external_sync:write"), &OAuthRoutes::authorize, this,
              {.summary = "Start the connection of a provider's calendar", .idempotencyKey = false})
        .get(callbackPath, access::open(), &OAuthRoutes::callback, this,
             {.summary = "Complete the connection of a provider's calendar", .execution = Execution::Long, .undocumented = true});
}

std::string OAuthRoutes::redirectUri() const { return _tools.context.host().origin + std::string(callbackPath); }

Reply<AuthorizeAnswer> OAuthRoutes::authorize(const Caller& caller, const Request& request, const Path<CalendarId>& id,
                                              const Query<HostChoice>& choice, const Body<NoMembers>&)
{
    auto session = _tools.database().session();
    const auto host = requireHost(session, caller, *choice);
    const auto calendar = externalCalendarTable.require(session, caller.tenant(), host.hostId, *id);
    if (!isOfProvider(calendar.kind)) throw Problem::invalid("", "not_allowed", "This calendar is opened by its address.");
    const auto provider = providerOf(_tools.context.config(), calendar.kind);
    if (!provider.isSetUp()) throw Problem::invalid("", "setup_required", "The operator has not set up this kind of calendar.");

    // One cookie for all the ways that a browser is on.
    const auto known = request.cookie(cookieName);
    const auto browser = fromBase64Url(known).value_or("").size() == 32 ? std::string(known) : randomToken();
    const auto state = randomToken();
    const StartedConsent started{caller.organizationId, host.hostId, *id, sha256(browser).hex(), randomToken()};
    _tools.context.state().put(wayKey(state), toJson(started), wayLife);

    Fields fields{{"response_type", "code"},
                  {"client_id", provider.clientId},
                  {"redirect_uri", redirectUri()},
                  {"state", state},
                  {"code_challenge", toBase64Url(sha256(started.verifier).bytes())},
                  {"code_challenge_method", "S256"}};
    fields.insert(fields.end(), provider.consent.begin(), provider.consent.end());
    Reply<AuthorizeAnswer> answer{{withQuery(provider.authorizeUrl, fields)}};
    answer.cookies.push_back(SetCookie(
        cookieName, browser, {.maxAge = wayLife, .secure = _tools.context.host().origin.starts_with("https://"), .path = callbackPath}));
    return answer;
}

/// Only of the browser that was sent there, and once.
std::optional<StartedConsent> OAuthRoutes::take(const Request& request, const std::string& state)
{
    auto& store = _tools.context.state();
    const auto entry = store.get(wayKey(state));
    if (!entry) return std::nullopt;
    auto started = fromStoredJson<StartedConsent>(entry->value);
    if (!sameSecret(sha256(request.cookie(cookieName)).hex(), started.browser)) return std::nullopt;
    return store.take(wayKey(state)) ? std::optional(std::move(started)) : std::nullopt;
}

Redirect OAuthRoutes::callback(const Request& request, const RawQuery& query)
{
    const auto started = take(request, std::string(fieldOf(query.values, "state")));
    if (!started) return toCalendars("connectError", "expired");
    const auto tenant = Tenant::fromStored(started->organizationId);
    const auto calendar = [&]
    {
        auto session = _tools.database().session();
        return externalCalendarTable.find(session, tenant, started->hostId, started->calendarId);
    }();
    if (!calendar) return toCalendars("connectError", "expired");
    const auto provider = providerOf(_tools.context.config(), calendar->kind);
    const std::string code(fieldOf(query.values, "code"));
    if (code.empty())
    {
        note(*started, {"consent_denied", {}, provider.name, {}}, "It was not allowed at " + provider.name + ". Connect it again.");
        return toCalendars("connectError", "denied");
    }
    try
    {
        connect(*started, *calendar, provider, code);
        return toCalendars("connected", started->calendarId.text());
    }
    catch (const CalendarFailure& failure)
    {
        note(*started, failure.fault(), failure.what());
        return toCalendars("connectError", "failed");
    }
}

/// Stores the tokens, and reads the calendar once, so that the redirect can report success. @throws CalendarFailure
void OAuthRoutes::connect(const StartedConsent& started, const ExternalCalendar& calendar, const OAuthProvider& provider,
                          const std::string& code)
{
    auto& context = _tools.context;
    RemoteCalls calls(context.http(), context.clock(), {provider.tokenUrl, {}, {}}, connectTimeout);
    const auto tokens = toJson(redeemCode(calls, context.clock(), provider, code, started.verifier, redirectUri()));
    const auto found = makeSource(_tools, calendar, tokens, connectTimeout)->discover();
    const auto tenant = Tenant::fromStored(started.organizationId);
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            const auto edit = [&](ExternalCalendar& known)
            {
                known.password = _tools.sealer.seal(tokens, sealPurpose(known.calendarId));
                if (!found.empty()) known.username = found.front().name;
                known.readAnew(_tools.now());
                known.lastError.reset();
                known.lastFaults.clear();
            };
            _sync.request(
                transaction, tenant,
                externalCalendarTable.change(transaction, tenant, started.hostId, started.calendarId, IfMatch(""), {_tools.now()}, edit));
        });
}

/// Why it is not open; one that is open stays so.
void OAuthRoutes::note(const StartedConsent& started, const CalendarFault& fault, const std::string& error)
{
    const auto tenant = Tenant::fromStored(started.organizationId);
    _tools.database().transact(
        [&](Transaction& transaction)
        {
            transaction.execute("UPDATE external_calendar SET last_error = $4, last_faults = $5 WHERE organization_id = $1 AND host_id = "
                                "$2 AND id = $3 AND "
                                "sync_state = 'auth_failed'",
                                tenant, started.hostId, started.calendarId, error, toJson(std::vector{fault}));
        });
}

} // namespace portico::calendar
