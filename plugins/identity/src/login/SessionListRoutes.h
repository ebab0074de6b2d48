#pragma once

#include "common/Core.h"
#include "permissions/Actor.h"
#include "sessions/SignIn.h"

#include "portico/Routes.h"

namespace portico::identity
{

enum class KeptSession : std::uint8_t
{
    Current
};

constexpr auto schemaOf(const KeptSession*) { return portico::choices<KeptSession>({{"current", KeptSession::Current}}); }

struct EndSessionsQuery
{
    std::optional<KeptSession> except;
};

constexpr auto schemaOf(const EndSessionsQuery*) { return describe(field<&EndSessionsQuery::except>()); }

struct SessionsOfQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const SessionsOfQuery*) { return describe(field<&SessionsOfQuery::organizationId>()); }

struct EndedSessions
{
    std::int64_t ended = 0;
};

constexpr auto schemaOf(const EndedSessions*) { return describe(field<&EndedSessions::ended>()); }

/// Lists and ends sign-ins of the caller and of other users, and notifies open pages of changes. Thread-safe.
class SessionListRoutes
{
public:
    explicit SessionListRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);
    /// Ends some expired sign-ins, so that listeners are notified.
    void sweep();

    Page<SignIn> list(const Caller& caller, const Paging& paging) const;
    NoContent end(const Caller& caller, const Request& request, const Path<SessionId>& id, const IfMatch& match);
    Reply<EndedSessions> endAll(const Caller& caller, const Request& request, const Query<EndSessionsQuery>& query);

    /// Lists another user's sign-ins: for operators all, for others those in the context of their organization.
    Page<SignIn> listOf(const Caller& caller, const Path<UserId>& userId, const Query<SessionsOfQuery>& query, const Paging& paging) const;
    NoContent endOf(const Caller& caller, const Request& request, const Path<UserId>& userId, const Path<SessionId>& id,
                    const IfMatch& match);
    EndedSessions endAllOf(const Caller& caller, const Request& request, const Path<UserId>& userId, const Query<SessionsOfQuery>& query);

    EventStream events(const Caller& caller, const Request& request) const;

private:
    /// Sign-ins of a user that an administrator ends.
    struct Ending
    {
        UserId userId;
        /// Organization to which the administrator is limited; empty: none.
        std::optional<OrganizationId> organization;
        std::vector<SignIn> signIns;
        /// Sign-in of the administrator, whose own browser session stays active.
        std::string callersSession;
        /// Ends all sign-ins and browser sessions of the user.
        bool everything = false;
    };

    /// Returns the organization to which the list is limited; empty: all. @throws Problem 403, 404
    std::optional<OrganizationId> reach(const Actor& actor, const UserId& userId, const SessionsOfQuery& query) const;
    /// Ends sign-ins, and the browser sessions that they came from.
    std::vector<std::string> endThem(Transaction& transaction, const Actor& actor, const Ending& ending, const Request& request);

    Core& _core;
};

} // namespace portico::identity
