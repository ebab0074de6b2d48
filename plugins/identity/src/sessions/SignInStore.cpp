#include "sessions/SignInStore.h"

#include <algorithm>

namespace portico::identity::sign_ins
{

namespace
{

std::vector<SignIn> select(Session& session, std::string_view condition, std::span<const SqlValue> arguments)
{
    std::vector<SignIn> found;
    for (Row row : session.queryValues("SELECT " + columns<SignIn>() + " FROM sessions WHERE " + std::string(condition), arguments))
        found.push_back(row.as<SignIn>());
    return found;
}

void rememberContext(Session& session, const SignIn& signIn, Instant now)
{
    session.execute(
        "INSERT INTO last_contexts (user_id, service_id, organization_id, used_at) VALUES ($1, $2, $3, $4) "
        "ON CONFLICT (user_id, service_id) DO UPDATE SET organization_id = excluded.organization_id, used_at = excluded.used_at",
        signIn.userId, signIn.serviceId, signIn.organizationId, now);
}

} // namespace

void insert(Session& session, const SignIn& signIn)
{
    session.insert("sessions", signIn, {});
    rememberContext(session, signIn, signIn.createdAt);
}

std::optional<SignIn> find(Session& session, std::string_view id)
{
    return session.one<SignIn>("SELECT " + columns<SignIn>() + " FROM sessions WHERE id = $1", id);
}

std::vector<SignIn> ofUser(Session& session, std::string_view userId, Instant now)
{
    return select(session, "user_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY created_at DESC, id DESC",
                  std::initializer_list<SqlValue>{userId, now});
}

std::vector<SignIn> ofSameBrowser(Session& session, const SignIn& signIn)
{
    if (!signIn.browserSessionId) return {signIn};
    return select(session, "browser_session_id = $1 AND ended_at IS NULL", std::initializer_list<SqlValue>{*signIn.browserSessionId});
}

std::vector<std::string> end(Session& session, const std::vector<SignIn>& signIns, std::string_view reason, Instant now)
{
    std::vector<std::string> ended;
    for (const auto& signIn : signIns)
    {
        const auto changed = session.execute("UPDATE sessions SET ended_at = $2, end_reason = $3, version = version + 1, updated_at = $2 "
                                             "WHERE id = $1 AND ended_at IS NULL",
                                             signIn.id, now, reason);
        if (changed == 0) continue;
        session.execute("UPDATE refresh_families SET revoked_at = $2, revoke_reason = $3 WHERE session_id = $1 AND revoked_at IS NULL",
                        signIn.id, now, reason);
        ended.push_back(signIn.id.text());
    }
    return ended;
}

void setContext(Session& session, SignIn& signIn, const std::optional<OrganizationId>& organization, Instant now)
{
    session.execute("UPDATE sessions SET organization_id = $2, version = version + 1, updated_at = $3 WHERE id = $1", signIn.id,
                    organization, now);
    signIn.organizationId = organization;
    ++signIn.version;
    rememberContext(session, signIn, now);
}

void limit(Session& session, SignIn& signIn, Instant end, std::chrono::seconds idle, Instant now)
{
    signIn.expiresAt = std::min(signIn.expiresAt, end);
    session.execute("UPDATE sessions SET expires_at = $2 WHERE id = $1", signIn.id, signIn.expiresAt);
    session.execute("UPDATE refresh_families SET absolute_expires_at = $2 WHERE session_id = $1 AND absolute_expires_at > $2", signIn.id,
                    end);
    session.execute("UPDATE refresh_families SET idle_seconds = $2 WHERE session_id = $1 AND idle_seconds > $2", signIn.id, idle.count());
    session.execute("UPDATE refresh_families SET idle_expires_at = $2 WHERE session_id = $1 AND idle_expires_at > $2", signIn.id,
                    std::min(now + idle, end));
}

void elevate(Session& session, SignIn& signIn, Instant until, Instant now)
{
    session.execute("UPDATE sessions SET elevated_until = $2, version = version + 1, updated_at = $3 WHERE id = $1", signIn.id, until, now);
    signIn.elevatedUntil = until;
    ++signIn.version;
}

void touch(Session& session, std::string_view id, Instant now)
{
    session.execute("UPDATE sessions SET last_seen_at = $2 WHERE id = $1", id, now);
}

std::optional<std::optional<std::string>> lastContext(Session& session, std::string_view userId, std::string_view serviceId)
{
    return session.value<std::optional<std::string>>("SELECT organization_id FROM last_contexts WHERE user_id = $1 AND service_id = $2",
                                                     userId, serviceId);
}

void insertBrowserSession(Session& session, std::string_view id, std::string_view userId, std::string_view handleHash,
                          Instant idleExpiresAt, Instant expiresAt, Instant now)
{
    session.execute("INSERT INTO browser_sessions (id, user_id, handle_hash, idle_expires_at, expires_at, created_at) "
                    "VALUES ($1, $2, $3, $4, $5, $6)",
                    id, userId, handleHash, idleExpiresAt, expiresAt, now);
}

void endBrowserSession(Session& session, std::string_view id, Instant now)
{
    session.execute("UPDATE browser_sessions SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL", id, now);
}

} // namespace portico::identity::sign_ins
