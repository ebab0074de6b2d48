#include "sessions/BrowserSession.h"

#include "portico/Crypto.h"

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

std::optional<std::string> replaceHandle(Transaction& transaction, const std::string& id, std::string_view handle, Instant now)
{
    auto next = randomToken();
    const auto before = sha256(handle).hex();
    const auto replaced = browserSessionTable.select()
                              .where(&BrowserSession::id, id)
                              .where(&BrowserSession::handleHash, before)
                              .set(transaction, &BrowserSession::handleHash, sha256(next).hex(), &BrowserSession::replacedHash, before,
                                   &BrowserSession::replacedAt, now);
    return replaced == 1 ? std::optional(std::move(next)) : std::nullopt;
}

std::optional<std::string> renew(Transaction& transaction, const std::string& id, const BrowserSession& signedIn, std::string_view handle)
{
    auto next = randomToken();
    const auto renewed =
        browserSessionTable.select()
            .where(&BrowserSession::id, id)
            .where(&BrowserSession::handleHash, sha256(handle).hex())
            .set(transaction, &BrowserSession::handleHash, sha256(next).hex(), &BrowserSession::replacedHash, std::nullopt,
                 &BrowserSession::amr, signedIn.amr, &BrowserSession::acr, signedIn.acr, &BrowserSession::authTime, signedIn.authTime,
                 &BrowserSession::idleExpiresAt, signedIn.idleExpiresAt, &BrowserSession::expiresAt, signedIn.expiresAt);
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

void touch(Transaction& transaction, const BrowserSession& used, std::chrono::seconds idle, Instant now)
{
    browserSessionTable.set(transaction, used.id, &BrowserSession::idleExpiresAt, std::min(now + idle, used.expiresAt));
}

} // namespace portico::identity::browser_sessions
