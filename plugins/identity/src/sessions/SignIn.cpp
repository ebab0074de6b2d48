#include "sessions/SignIn.h"

#include "audit/Audit.h"
#include "sessions/BrowserSession.h"
#include "sessions/LogoutNotices.h"
#include "sessions/RefreshFamilies.h"
#include "users/OneTimeTokens.h"

#include <algorithm>
#include <iterator>

namespace portico::identity
{

namespace sign_ins
{

namespace
{

std::string selectWhere(std::string_view condition)
{
    return "SELECT " + columns<SignIn>() + " FROM sessions WHERE " + std::string(condition);
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
    if (!signIn.impersonatorId) rememberContext(session, signIn, signIn.createdAt);
}

std::optional<SignIn> find(Session& session, std::string_view id) { return session.one<SignIn>(selectWhere("id = $1"), id); }

std::optional<LiveSignIn> live(Session& session, std::string_view id, Instant now)
{
    auto signIn = find(session, id);
    if (!signIn || !signIn->active(now)) return std::nullopt;
    auto user = users::find(session, signIn->userId.text());
    if (!user || user->status != UserStatus::Active) return std::nullopt;
    return LiveSignIn{*std::move(signIn), *std::move(user)};
}

std::vector<SignIn> ofUser(Session& session, const UserId& userId, Instant now)
{
    return session.all<SignIn>(selectWhere("user_id = $1 AND ended_at IS NULL AND expires_at > $2 ORDER BY created_at DESC, id DESC"),
                               userId, now);
}

std::vector<SignIn> ofClient(Session& session, std::string_view clientId, const std::optional<UserId>& userId)
{
    if (!userId) return session.all<SignIn>(selectWhere("client_id = $1 AND ended_at IS NULL"), clientId);
    return session.all<SignIn>(selectWhere("client_id = $1 AND user_id = $2 AND ended_at IS NULL"), clientId, *userId);
}

std::vector<SignIn> ofProvider(Session& session, const ProviderSession& from)
{
    // Each sign-in has the `auth_time` of the browser session in which it began.
    return session.all<SignIn>(selectWhere("(user_id, auth_time) IN (SELECT user_id, auth_time FROM browser_sessions "
                                           "WHERE provider_id = $1 AND ($2 = '' OR provider_subject = $2) "
                                           "AND ($3 = '' OR provider_sid = $3)) AND ended_at IS NULL AND amr LIKE $4 ESCAPE '\\'"),
                               from.providerId, from.subject, from.sid, likePattern("\"idp:" + from.providerId + '"'));
}

std::vector<SignIn> ofSameBrowser(Session& session, const SignIn& signIn)
{
    if (!signIn.browserSessionId) return {signIn};
    return session.all<SignIn>(selectWhere("browser_session_id = $1 AND ended_at IS NULL"), *signIn.browserSessionId);
}

std::vector<SignIn> endBrowsers(Transaction& transaction, const std::vector<SignIn>& signIns, std::string_view keep, Instant now)
{
    const auto kept = find(transaction, keep);
    std::vector<SignIn> others;
    for (const auto& signIn : signIns)
    {
        if (!signIn.browserSessionId || (kept && kept->browserSessionId == signIn.browserSessionId)) continue;
        if (!browserSessionTable.set(transaction, *signIn.browserSessionId, &BrowserSession::endedAt, now)) continue;
        std::ranges::move(ofSameBrowser(transaction, signIn), std::back_inserter(others));
    }
    return others;
}

std::optional<Instant> lastUse(Session& session, std::string_view browserSessionId, const OrganizationId& organization)
{
    const auto newest = session.one<SignIn>(
        selectWhere("browser_session_id = $1 AND organization_id = $2 ORDER BY last_seen_at DESC LIMIT 1"), browserSessionId, organization);
    return newest ? std::optional(newest->lastSeenAt) : std::nullopt;
}

std::vector<std::string> end(Transaction& transaction, const std::vector<SignIn>& signIns, std::string_view reason, Instant now,
                             const AuditLog* by)
{
    std::vector<const SignIn*> over;
    for (const auto& signIn : signIns)
    {
        if (!signInTable.set(transaction, signIn.userId, signIn.id, {now}, &SignIn::endedAt, now, &SignIn::endReason, std::string(reason)))
            continue;
        refreshFamilyTable.set(transaction, signIn.id.text(), &RefreshFamily::revokedAt, now, &RefreshFamily::revokeReason,
                               std::string(reason));
        logout_notices::note(transaction, signIn, now);
        over.push_back(&signIn);
    }
    // Last: the trail lets no other change by until this one is over.
    std::vector<std::string> ended;
    for (const auto* signIn : over)
    {
        Client client;
        if (signIn->impersonatorId) client.impersonatorId = signIn->impersonatorId->text();
        const auto log = by != nullptr ? *by : AuditLog::ofUser(client, signIn->userId, now, signIn->serviceId);
        log.in(signIn->organizationId)
            .record(transaction, "session.ended", signIn->id,
                    by != nullptr ? AuditDetails{{"reason", reason}, {"userId", signIn->userId.text()}} : AuditDetails{{"reason", reason}});
        ended.push_back(signIn->id.text());
    }
    return ended;
}

std::vector<std::string> endAll(Transaction& transaction, const UserId& userId, std::string_view reason, Instant now, std::string_view keep,
                                const AuditLog* by)
{
    auto all = ofUser(transaction, userId, now);
    std::string keptBrowser;
    std::erase_if(all,
                  [&](const SignIn& signIn)
                  {
                      if (signIn.id.text() != keep) return false;
                      keptBrowser = signIn.browserSessionId.value_or("");
                      return true;
                  });
    one_time_tokens::revokeChanges(transaction, userId, now);
    transaction.execute("UPDATE browser_sessions SET ended_at = $2 WHERE user_id = $1 AND id <> $3 AND ended_at IS NULL", userId, now,
                        keptBrowser);
    return end(transaction, all, reason, now, by);
}

void setContext(Transaction& transaction, SignIn& signIn, const std::optional<OrganizationId>& organization, Instant now)
{
    signInTable.set(transaction, signIn.userId, signIn.id, {now}, &SignIn::organizationId, organization);
    signIn.organizationId = organization;
    ++signIn.version;
    if (!signIn.impersonatorId) rememberContext(transaction, signIn, now);
}

void elevate(Transaction& transaction, SignIn& signIn, std::string_view proof, Instant until, Instant now)
{
    signIn.elevatedUntil = until;
    ++signIn.version;
    if (std::ranges::find(signIn.amr, proof) == signIn.amr.end()) signIn.amr.emplace_back(proof);
    if (proof != amr::password) signIn.acr = "aal2";
    signInTable.set(transaction, signIn.userId, signIn.id, {now}, &SignIn::elevatedUntil, until, &SignIn::amr, signIn.amr, &SignIn::acr,
                    signIn.acr);
}

void limit(Transaction& transaction, SignIn& signIn, Instant end, std::chrono::seconds idle, Instant now)
{
    signIn.expiresAt = std::min(signIn.expiresAt, end);
    // Locks the family before the sign-in, like a rotation. `end` and `applyPolicy` lock the sign-in first: if PostgreSQL reports a
    // deadlock (40P01), `transact` repeats one of the two.
    if (const auto family = refreshFamilyTable.findForUpdate(transaction, signIn.id.text()))
        refreshFamilyTable.set(transaction, family->sessionId, &RefreshFamily::absoluteExpiresAt, std::min(family->absoluteExpiresAt, end),
                               &RefreshFamily::idleSeconds, std::min<std::int64_t>(family->idleSeconds, idle.count()),
                               &RefreshFamily::idleExpiresAt, std::min({family->idleExpiresAt, now + idle, end}));
    signInTable.set(transaction, signIn.userId, signIn.id, &SignIn::expiresAt, signIn.expiresAt);
}

std::vector<std::string> applyPolicy(Transaction& transaction, const OrganizationId& organization, const SecurityPolicy& policy,
                                     Instant now, const AuditLog& by)
{
    const auto most = std::chrono::milliseconds(std::chrono::hours(policy.maxSessionHours)).count();
    const std::chrono::seconds idle = std::chrono::hours(policy.idleHours);
    transaction.execute("UPDATE sessions SET expires_at = auth_time + $2 WHERE organization_id = $1 AND ended_at IS NULL "
                        "AND expires_at > auth_time + $2",
                        organization, most);
    transaction.execute(
        "UPDATE refresh_families SET absolute_expires_at = (SELECT s.expires_at FROM sessions s WHERE s.id = session_id "
        "AND s.organization_id = $1) WHERE absolute_expires_at > (SELECT s.expires_at FROM sessions s WHERE s.id = session_id "
        "AND s.organization_id = $1)",
        organization);
    constexpr std::string_view theirs = " AND session_id IN (SELECT id FROM sessions WHERE organization_id = $1 AND ended_at IS NULL)";
    transaction.execute("UPDATE refresh_families SET idle_seconds = $2 WHERE idle_seconds > $2" + std::string(theirs), organization,
                        idle.count());
    transaction.execute("UPDATE refresh_families SET idle_expires_at = $2 WHERE idle_expires_at > $2" + std::string(theirs), organization,
                        now + idle);
    auto refused = transaction.all<SignIn>(selectWhere("organization_id = $1 AND ended_at IS NULL"), organization);
    std::erase_if(refused, [&](const SignIn& signIn) { return allowsMethod(policy, signIn.amr); });
    return end(transaction, refused, end_reason::revokedByAdmin, now, &by);
}

std::vector<SignIn> findExpired(Session& session, Instant now)
{
    return session.all<SignIn>(selectWhere("ended_at IS NULL AND (expires_at <= $1 OR EXISTS (SELECT 1 FROM refresh_families f "
                                           "WHERE f.session_id = sessions.id AND f.idle_expires_at <= $1)) ORDER BY expires_at LIMIT 500"),
                               now);
}

std::optional<std::optional<OrganizationId>> lastContext(Session& session, std::string_view userId, std::string_view serviceId)
{
    return session.value<std::optional<OrganizationId>>("SELECT organization_id FROM last_contexts WHERE user_id = $1 AND service_id = $2",
                                                        userId, serviceId);
}

} // namespace sign_ins

} // namespace portico::identity
