#include "oauth/LogoutCalls.h"

#include "sessions/LogoutNotices.h"
#include "tokens/KeyRing.h"
#include "web/Urls.h"

#include "portico/HttpClient.h"
#include "portico/Id.h"
#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view noticesJob = "identity.logout-notices";
constexpr std::string_view logoutJob = "identity.backchannel-logout";
constexpr std::chrono::seconds noticesInterval{2};
constexpr std::int64_t maxNotices = 100;
constexpr std::int64_t logoutTokenSeconds = 120;
constexpr std::string_view logoutEvent = R"({"http://schemas.openid.net/event/backchannel-logout":{}})";

/// Claims of a logout token (OpenID Connect Back-Channel Logout, 2.4). There is no nonce, so that it cannot be used as an ID token.
struct LogoutClaims
{
    std::string iss, sub, aud, jti, sid;
    std::int64_t iat = 0, exp = 0;
    Json events{std::string(logoutEvent)};
};

constexpr auto schemaOf(const LogoutClaims*)
{
    return describe(members<&LogoutClaims::iss, &LogoutClaims::sub, &LogoutClaims::aud, &LogoutClaims::iat, &LogoutClaims::exp,
                            &LogoutClaims::jti, &LogoutClaims::sid, &LogoutClaims::events>());
}

} // namespace

void LogoutCalls::start()
{
    auto& jobs = _core.context.jobs();
    jobs.handle(logoutJob, &LogoutCalls::call, this);
    jobs.backOff(logoutJob, {std::chrono::seconds(5), std::chrono::seconds(30), std::chrono::minutes(5), std::chrono::minutes(30),
                             std::chrono::hours(2)});
    jobs.handle(noticesJob, [this](const Job&) { flush(); });
    jobs.every(noticesJob, noticesInterval);
    jobs.followsWrites(noticesJob);
}

void LogoutCalls::flush()
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            std::vector<LogoutCall> waiting;
            for (Row row : transaction.query("SELECT session_id FROM logout_notices ORDER BY created_at, session_id LIMIT $1", maxNotices))
                waiting.push_back({row.get<std::string>(0)});
            for (const auto& notice : waiting)
            {
                _core.context.jobs().enqueue(transaction, logoutJob, notice, {.dedupeKey = "logout:" + notice.sessionId});
                transaction.execute("DELETE FROM logout_notices WHERE session_id = $1", notice.sessionId);
            }
        });
}

std::string LogoutCalls::tokenFor(const OAuthClient& client, const SignIn& signIn) const
{
    const auto now = _core.clock.now();
    LogoutClaims claims;
    claims.iss = _core.origin;
    claims.sub = signIn.sub();
    claims.aud = client.clientId;
    claims.jti = makeUlid(now);
    claims.sid = signIn.id.text();
    claims.iat = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    claims.exp = claims.iat + logoutTokenSeconds;
    const auto keys = _core.keys.identityKeys();
    return signJws(*keys, client.signingKid(*keys), "logout+jwt", toJson(claims));
}

void LogoutCalls::call(const LogoutCall& wanted)
{
    std::optional<SignIn> signIn;
    std::optional<std::string> url;
    // The pages of a service are no registered client: their token is signed as by default.
    OAuthClient client;
    _core.read(
        [&](Session& session)
        {
            signIn = sign_ins::find(session, wanted.sessionId);
            if (signIn) url = logout_notices::urisOf(session, *signIn).backchannel;
            if (url) client = oauth_clients::find(session, signIn->clientId).value_or(OAuthClient());
        });
    if (!url) return;
    client.clientId = signIn->clientId;
    HttpClient::Request request;
    request.method = "POST";
    request.url = *url;
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    request.body = toQuery({{"logout_token", tokenFor(client, *signIn)}});
    const auto answer = _core.context.http().send(request);
    if (answer.status == 200 || answer.status == 204) return;
    const auto said = "the client answered " + std::to_string(answer.status);
    // It has looked at the token and will not have it (2.8): the same once more would not help.
    if (answer.status == 400) throw JobFailed(said);
    if (const auto wait = answer.retryAfter(_core.clock.now())) throw JobRetry::after(*wait, said);
    throw std::runtime_error(said);
}

} // namespace portico::identity
