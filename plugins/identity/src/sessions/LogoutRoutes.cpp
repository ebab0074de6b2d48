#include "sessions/LogoutRoutes.h"

#include "common/Encoding.h"
#include "common/Problems.h"
#include "common/Requests.h"
#include "sessions/SignInStore.h"

#include <algorithm>
#include <iterator>

namespace portico::identity
{

namespace
{

constexpr auto ticketLife = std::chrono::seconds(60);

std::string_view bearerOf(const Request& request)
{
    constexpr std::string_view scheme = "Bearer ";
    const auto header = request.header("Authorization");
    const bool isBearer = header.size() > scheme.size() && equalsIgnoreCase(header.substr(0, scheme.size()), scheme);
    return isBearer ? header.substr(scheme.size()) : std::string_view();
}

} // namespace

void LogoutRoutes::declare(Routes& routes)
{
    routes.post("/api/auth/logout", access::open(), &LogoutRoutes::logout, this,
                {.summary = "Sign out of this app, this browser, or everywhere", .gateway = true, .idempotencyKey = false});
}

std::string LogoutRoutes::sessionOf(const Request& request)
{
    // An Authorization header wins over cookies, also a bad one.
    if (request.hasHeader("Authorization"))
    {
        const auto read = decodeToken(*_parts.keys.signingKeys(), bearerOf(request), _parts.issuer, _parts.clock.now());
        if (read.fault != TokenFault::None) throw invalidToken(reason(read.fault));
        if (read.claims.aud != requestedService(request)) throw invalidToken(reason(TokenFault::WrongAudience));
        return read.claims.sid;
    }
    const auto handle = _parts.cookies.refreshHandle(request);
    if (handle.empty()) throw Problem::unauthorized("authentication_required", "Send an access token, or the cookie of the sign-in.");
    _parts.cookies.requireTrusted(request);
    const auto family = _parts.families.identify(handle);
    return family && family->active(_parts.clock.now()) ? family->sessionId : std::string();
}

std::vector<std::string> LogoutRoutes::end(const SignIn& signIn, LogoutScope scope, const Client& client)
{
    return _parts.changes.run(
        [&](Transaction& transaction)
        {
            const auto now = _parts.clock.now();
            auto ended = sign_ins::end(transaction, {signIn}, end_reason::logout, now);
            // Who comes second, with the token of a sign-in that has ended, ends nothing of anybody.
            if (ended.empty()) return ended;
            std::vector<SignIn> others;
            if (scope == LogoutScope::Browser) others = sign_ins::ofSameBrowser(transaction, signIn);
            if (scope == LogoutScope::Everywhere) others = sign_ins::ofUser(transaction, signIn.userId.text(), now);
            std::ranges::move(sign_ins::end(transaction, others, end_reason::logout, now), std::back_inserter(ended));
            others.push_back(signIn);
            if (scope != LogoutScope::App)
                for (const auto& one : others)
                    if (one.browserSessionId) sign_ins::endBrowserSession(transaction, *one.browserSessionId, now);
            AuditEntry entry;
            entry.type = "session.ended";
            entry.actorType = "user";
            entry.actorId = signIn.userId.text();
            entry.client = client;
            entry.target = signIn.id.text();
            entry.serviceId = signIn.serviceId;
            entry.details = R"({"scope":")" + std::string(toString(scope)) + R"(","ended":)" + std::to_string(ended.size()) + '}';
            _parts.audit.record(transaction, entry, now);
            return ended;
        });
}

std::string LogoutRoutes::ticketFor(const SignIn& signIn)
{
    const auto ticket = toBase64Url(randomBytes(32));
    _parts.state.put("logout-ticket:" + _sha256.hex(ticket), signIn.browserSessionId.value_or(""), ticketLife);
    return "?lt=" + ticket;
}

Reply<LogoutResult> LogoutRoutes::logout(const Request& request, const Body<LogoutInput>& input)
{
    const auto sessionId = sessionOf(request);
    const auto signIn = [&]
    {
        auto session = _parts.database.session();
        return sign_ins::find(session, sessionId);
    }();
    Reply<LogoutResult> reply;
    reply.record.broadcastUrl = _parts.issuer + "/session/broadcast-logout";
    if (signIn && signIn->active(_parts.clock.now())) reply.record.ended = end(*signIn, input->scope, Client::of(request));
    if (!reply.record.ended.empty()) reply.record.broadcastUrl += ticketFor(*signIn);
    reply.headers.emplace_back("Set-Cookie", _parts.cookies.clearRefresh());
    if (isOwnOrigin(request) && input->scope != LogoutScope::App)
        reply.headers.emplace_back("Set-Cookie", _parts.cookies.clearBrowserSession());
    return reply;
}

} // namespace portico::identity
