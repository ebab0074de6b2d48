#include "sessions/BrowserSession.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity::browser_sessions
{

namespace
{
/// Time in which the answer with the next handle may still be on its way.
constexpr auto grace = std::chrono::seconds(30);
} // namespace

std::string insert(Session& session, BrowserSession made)
{
    auto handle = randomToken();
    made.handleHash = sha256(handle).hex();
    session.insert("browser_sessions", made, {});
    return handle;
}

std::optional<BrowserSession> find(Session& session, std::string_view handle, Instant now)
{
    if (handle.empty()) return std::nullopt;
    return session.one<BrowserSession>("SELECT " + columns<BrowserSession>() +
                                           " FROM browser_sessions WHERE handle_hash = $1 OR (replaced_hash = $1 AND replaced_at > $2)",
                                       sha256(handle).hex(), now - grace);
}

std::optional<std::string> replaceHandle(Session& session, std::string_view id, std::string_view handle, Instant now)
{
    auto next = randomToken();
    const auto replaced = session.execute("UPDATE browser_sessions SET handle_hash = $3, replaced_hash = $2, replaced_at = $4 "
                                          "WHERE id = $1 AND handle_hash = $2 AND ended_at IS NULL",
                                          id, sha256(handle).hex(), sha256(next).hex(), now);
    return replaced == 1 ? std::optional(std::move(next)) : std::nullopt;
}

std::optional<std::string> renew(Session& session, std::string_view id, const BrowserSession& signedIn, std::string_view handle)
{
    auto next = randomToken();
    const auto renewed = session.execute(
        "UPDATE browser_sessions SET handle_hash = $3, replaced_hash = NULL, amr = $4, acr = $5, auth_time = $6, idle_expires_at = $7, "
        "expires_at = $8 WHERE id = $1 AND handle_hash = $2 AND ended_at IS NULL",
        id, sha256(handle).hex(), sha256(next).hex(), toJson(signedIn.amr), signedIn.acr, signedIn.authTime, signedIn.idleExpiresAt,
        signedIn.expiresAt);
    return renewed == 1 ? std::optional(std::move(next)) : std::nullopt;
}

void forgetHandle(Session& session, std::string_view handle)
{
    session.execute("UPDATE browser_sessions SET handle_hash = $2, replaced_hash = NULL WHERE handle_hash = $1", sha256(handle).hex(),
                    sha256(randomToken()).hex());
}

std::optional<BrowserSession> findById(Session& session, std::string_view id)
{
    return session.one<BrowserSession>("SELECT " + columns<BrowserSession>() + " FROM browser_sessions WHERE id = $1", id);
}

bool isTouchDue(const BrowserSession& used, std::chrono::seconds idle, Instant now)
{
    return std::min(now + idle, used.expiresAt) - used.idleExpiresAt >= std::chrono::hours(1);
}

void touch(Session& session, const BrowserSession& used, std::chrono::seconds idle, Instant now)
{
    const auto until = std::min(now + idle, used.expiresAt);
    session.execute("UPDATE browser_sessions SET idle_expires_at = $2 WHERE id = $1 AND ended_at IS NULL", used.id, until);
}

} // namespace portico::identity::browser_sessions
