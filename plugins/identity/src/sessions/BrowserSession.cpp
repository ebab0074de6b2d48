#include "sessions/BrowserSession.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::identity::browser_sessions
{

std::string insert(Session& session, BrowserSession made)
{
    auto handle = randomToken();
    made.handleHash = sha256(handle).hex();
    session.insert("browser_sessions", made, {});
    return handle;
}

std::optional<BrowserSession> find(Session& session, std::string_view handle)
{
    if (handle.empty()) return std::nullopt;
    return session.one<BrowserSession>("SELECT " + columns<BrowserSession>() + " FROM browser_sessions WHERE handle_hash = $1",
                                       sha256(handle).hex());
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
