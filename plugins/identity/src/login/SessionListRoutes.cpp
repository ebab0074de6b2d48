#include "login/SessionListRoutes.h"

#include "audit/Audit.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SessionEvents.h"

#include <algorithm>
#include <iterator>

namespace portico::identity
{

namespace
{

constexpr std::string_view readSessions = "identity.sessions:read";
constexpr std::string_view revokeSessions = "identity.sessions:revoke";

Page<SignIn> shown(Page<SignIn> page, const Caller& caller, Instant now)
{
    for (auto& signIn : page.items)
    {
        signIn.current = signIn.id.text() == caller.sessionId;
        signIn.acr = signIn.effectiveAcr(now);
    }
    return page;
}

} // namespace

void SessionListRoutes::declare(Routes& routes)
{
    routes
        .get("/api/auth/sessions", access::bearer(), &SessionListRoutes::list, this,
             {.summary = "List the caller's sign-ins", .onEveryOrigin = true})
        .del("/api/auth/sessions/{id}", access::bearer().inPerson(), &SessionListRoutes::end, this,
             {.summary = "End a sign-in of the caller", .onEveryOrigin = true})
        .del("/api/auth/sessions", access::bearer().inPerson(), &SessionListRoutes::endAll, this,
             {.summary = "End all sign-ins of the caller, or all but the current", .onEveryOrigin = true})
        .get("/api/auth/session-events", access::bearerOrCookie(), &SessionListRoutes::events, this,
             {.summary = "Stream the events of the current sign-in",
              .onEveryOrigin = true,
              .problems = {"401 session_ended"},
              .produces = {"text/event-stream"}})
        .get("/api/users/{userId}/sessions", access::bearer(readSessions).forAdmins(), &SessionListRoutes::listOf, this,
             {.summary = "List the sign-ins of another user"})
        .del("/api/users/{userId}/sessions/{sessionId}", access::bearer(revokeSessions).forAdmins(), &SessionListRoutes::endOf, this,
             {.summary = "End a sign-in of another user", .problems = {"403 outranked", "403 step_up_required"}})
        .del("/api/users/{userId}/sessions", access::bearer(revokeSessions).forAdmins(), &SessionListRoutes::endAllOf, this,
             {.summary = "End the sign-ins of another user", .problems = {"403 outranked", "403 step_up_required"}});
}

Page<SignIn> SessionListRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _core.database.session();
    const auto now = _core.clock.now();
    const auto me = caller.userId();
    return shown(signInTable.select(me)
                     .where("expires_at > ?", now)
                     .where(sign_ins::notIdle, now)
                     .orderBy(descending(&SignIn::createdAt))
                     .page(session, paging),
                 caller, now);
}

void SessionListRoutes::sweep()
{
    const auto over = _core.read([&](Session& session) { return sign_ins::findExpired(session, _core.clock.now()); });
    for (const auto& signIn : over)
        _core.sessionEvents.ended(_core.changes.run({signIn.userId},
                                                    [&](Transaction& transaction)
                                                    {
                                                        const auto now = _core.clock.now();
                                                        const auto reason =
                                                            signIn.expiresAt <= now ? end_reason::expired : end_reason::idle;
                                                        return sign_ins::end(transaction, {signIn}, reason, now);
                                                    }));
}

NoContent SessionListRoutes::end(const Caller& caller, const Request& request, const Path<SessionId>& id, const IfMatch& match)
{
    const auto me = caller.userId();
    const auto ended = _core.changes.run({me},
                                         [&](Transaction& transaction)
                                         {
                                             const auto now = _core.clock.now();
                                             const auto signIn = signInTable.require(transaction, me, *id);
                                             match.require(signIn.version);
                                             auto all = sign_ins::endBrowsers(transaction, {signIn}, caller.sessionId, now);
                                             all.push_back(signIn);
                                             auto stopped = sign_ins::end(transaction, all, end_reason::revokedByUser, now);
                                             AuditLog::personal(request, now).record(transaction, "session.revoked", *id);
                                             return stopped;
                                         });
    _core.sessionEvents.ended(ended);
    return {};
}

Reply<EndedSessions> SessionListRoutes::endAll(const Caller& caller, const Request& request, const Query<EndSessionsQuery>& query)
{
    const bool keepsOwn = query->except.has_value();
    const auto ended = _core.changes.run(
        {Tenant::fromStored(caller.principalId)},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            auto stopped = sign_ins::endAll(transaction, caller.userId(), end_reason::revokedByUser, now,
                                            keepsOwn ? std::string_view(caller.sessionId) : std::string_view());
            AuditLog::personal(request, now).record(transaction, "session.revoked", caller.principalId, {{"ended", stopped.size()}});
            return stopped;
        });
    _core.sessionEvents.ended(ended);
    Reply<EndedSessions> reply{{static_cast<std::int64_t>(ended.size())}};
    if (keepsOwn) return reply;
    reply.cookies.push_back(_core.cookies.setRefresh(request, "", std::chrono::seconds(0)));
    if (isOwnOrigin(request)) reply.cookies.push_back(_core.cookies.setBrowserSession("", std::chrono::seconds(0)));
    return reply;
}

std::optional<OrganizationId> SessionListRoutes::reach(const Actor& actor, const UserId& userId, const SessionsOfQuery& query) const
{
    if (query.organizationId) actor.requireOrganization(*query.organizationId);
    // Throws 404 for a user who does not exist, or is not in the organization.
    static_cast<void>(actor.rankOf(userId, actor.organizationId()));
    return actor.isOperator() ? query.organizationId : actor.organizationId();
}

Page<SignIn> SessionListRoutes::listOf(const Caller& caller, const Path<UserId>& userId, const Query<SessionsOfQuery>& query,
                                       const Paging& paging) const
{
    auto session = _core.database.snapshot();
    const auto now = _core.clock.now();
    const Actor actor(session, caller, now);
    actor.requireAdminRoute(readSessions);
    auto select = signInTable.select(*userId);
    select.where("expires_at > ?", now).where(sign_ins::notIdle, now);
    if (const auto organization = reach(actor, *userId, *query)) select.where(&SignIn::organizationId, organization);
    return shown(select.orderBy(descending(&SignIn::createdAt)).page(session, paging), caller, now);
}

std::vector<std::string> SessionListRoutes::endThem(Transaction& transaction, const Actor& actor, const Ending& ending,
                                                    const Request& request)
{
    const auto now = _core.clock.now();
    const auto& userId = ending.userId;
    if (!actor.isSelf(userId)) actor.requireMayChange(actor.rankOf(userId, actor.organizationId()));
    const auto log = AuditLog::ofUser(Client::of(request), actor.userId(), now).in(actor.organizationId());
    const auto* by = actor.isSelf(userId) ? nullptr : &log;
    std::vector<std::string> ended;
    if (ending.everything)
    {
        // Not `endAll`, which would revoke a reset link that the administrator has just sent.
        transaction.execute("UPDATE browser_sessions SET ended_at = $2 WHERE user_id = $1 AND ended_at IS NULL", userId, now);
        ended = sign_ins::end(transaction, ending.signIns, end_reason::revokedByAdmin, now, by);
    }
    else
    {
        // The browser session may also serve other organizations. It ends, but the sign-ins in their apps stay.
        auto all = sign_ins::endBrowsers(transaction, ending.signIns, ending.callersSession, now);
        if (ending.organization) std::erase_if(all, [&](const SignIn& one) { return one.organizationId != ending.organization; });
        std::ranges::copy(ending.signIns, std::back_inserter(all));
        ended = sign_ins::end(transaction, all, end_reason::revokedByAdmin, now, by);
    }
    log.record(transaction, "session.revoked", userId, {{"ended", ended.size()}});
    return ended;
}

NoContent SessionListRoutes::endOf(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<SessionId>& id,
                                   const IfMatch& match)
{
    _core.sessionEvents.ended(_core.changes.run(
        {*userId},
        [&](Transaction& transaction)
        {
            const Actor actor(transaction, caller, _core.clock.now());
            actor.requireAdminRoute(revokeSessions);
            const auto organization = reach(actor, *userId, {});
            const auto signIn = signInTable.require(transaction, *userId, *id);
            if (organization && signIn.organizationId != organization) throw Problem::notFound();
            match.require(signIn.version);
            return endThem(transaction, actor,
                           {.userId = *userId, .organization = organization, .signIns = {signIn}, .callersSession = caller.sessionId},
                           request);
        }));
    return {};
}

EndedSessions SessionListRoutes::endAllOf(const Caller& caller, const Request& request, const Path<UserId>& userId,
                                          const Query<SessionsOfQuery>& query)
{
    const auto ended = _core.changes.run(
        {*userId},
        [&](Transaction& transaction)
        {
            const Actor actor(transaction, caller, _core.clock.now());
            actor.requireAdminRoute(revokeSessions);
            const auto organization = reach(actor, *userId, *query);
            auto select = signInTable.select(*userId);
            select.where("expires_at > ?", _core.clock.now());
            if (organization) select.where(&SignIn::organizationId, organization);
            return endThem(transaction, actor, {*userId, organization, select.all(transaction), caller.sessionId, !organization}, request);
        });
    _core.sessionEvents.ended(ended);
    return {static_cast<std::int64_t>(ended.size())};
}

EventStream SessionListRoutes::events(const Caller& caller, const Request& request) const
{
    if (!caller.anonymous()) return _core.sessionEvents.open(caller.sessionId, caller.principalId);
    const auto handle = _core.cookies.refreshHandle(request);
    if (handle.empty()) throw Problem::unauthorized("authentication_required", "Send an access token, or the cookie of the sign-in.");
    const auto now = _core.clock.now();
    const auto family = _core.families.live(handle);
    auto session = _core.database.session();
    const auto signIn = family ? sign_ins::find(session, family->sessionId) : std::nullopt;
    if (!signIn || !signIn->active(now)) throw Problem::unauthorized("session_ended", "Sign in again.");
    auto stream = _core.sessionEvents.open(signIn->id.text(), signIn->userId.text());
    stream.until = std::min(signIn->expiresAt, family->idleExpiresAt);
    return stream;
}

} // namespace portico::identity
