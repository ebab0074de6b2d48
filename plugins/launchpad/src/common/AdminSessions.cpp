#include "common/AdminSessions.h"

#include "common/SignedIn.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::launchpad
{

namespace
{
constexpr std::chrono::hours sessionLife{8};
constexpr std::string_view marketingPermission = "launchpad.marketing:manage";

std::string keyOfToken(std::string_view token) { return "marketing-admin:" + sha256(token).hex(); }
} // namespace

bool managesMarketing(const Caller& caller)
{
    return caller.platformBypass || std::ranges::binary_search(caller.permissions, marketingPermission);
}

AdminSessions::AdminSessions(PluginContext& context) : _context(context) {}

std::string AdminSessions::cookieName() const { return _context.host().plainHttp ? "marketing_admin" : "__Host-marketing_admin"; }

std::string AdminSessions::keyOf(const Request& request) const
{
    const auto token = request.cookie(cookieName());
    if (token.empty()) throw Problem::unauthorized("authentication_required", "Begin an admin session with POST /api/admin-session.");
    return keyOfToken(token);
}

AdminSession AdminSessions::begin(const Caller& person) const
{
    const auto token = randomToken();
    const auto expiresAt = _context.clock().now() + sessionLife;
    _context.state().put(keyOfToken(token), std::to_string(toMillis(expiresAt)) + ' ' + person.principalId, sessionLife);
    return {expiresAt,
            SetCookie(cookieName(), token,
                      {.maxAge = std::chrono::seconds(sessionLife), .sameSite = SameSite::Strict, .secure = !_context.host().plainHttp})};
}

std::shared_ptr<const Caller> AdminSessions::require(const Request& request) const
{
    const auto stored = _context.state().get(keyOf(request));
    if (!stored) throw Problem::unauthorized("session_ended", "The admin session has ended. Start a new one with POST /api/admin-session.");
    auto person = behindCookie(_context, request);
    if (stored->value.substr(stored->value.find(' ') + 1) != person->principalId)
        throw Problem::unauthorized("session_ended", "The admin session has ended. Start a new one with POST /api/admin-session.");
    if (!managesMarketing(*person)) throw Problem::forbidden();
    return person;
}

Instant AdminSessions::expiry(const Request& request) const
{
    require(request);
    const auto stored = _context.state().get(keyOf(request));
    if (!stored) throw Problem::unauthorized("session_ended", "The admin session has ended. Start a new one with POST /api/admin-session.");
    return fromMillis(std::stoll(stored->value));
}

SetCookie AdminSessions::end(const Request& request) const
{
    _context.state().remove(keyOf(request));
    return SetCookie(cookieName(), "",
                     {.maxAge = std::chrono::seconds(0), .sameSite = SameSite::Strict, .secure = !_context.host().plainHttp});
}

} // namespace portico::launchpad
