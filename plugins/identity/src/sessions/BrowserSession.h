#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// The session at a provider that a browser's sign-in came from.
struct ProviderSession
{
    std::string providerId;
    std::string subject;
    /// Empty where the provider names none.
    std::string sid;
};

constexpr auto schemaOf(const ProviderSession*)
{
    return describe(members<&ProviderSession::providerId, &ProviderSession::subject, &ProviderSession::sid>());
}

/// Row of `browser_sessions`: a sign-in of a browser at identity's origin, with its proofs. Sign-ins of apps that came from it end with it.
struct BrowserSession
{
    std::string id;
    UserId userId;
    std::string handleHash;
    /// The handle before, and when it was replaced.
    std::optional<std::string> replacedHash;
    std::optional<Instant> replacedAt;
    std::vector<std::string> amr;
    std::string acr = "aal1";
    Instant authTime{};
    Instant idleExpiresAt{};
    Instant expiresAt{};
    std::optional<Instant> endedAt;
    Instant createdAt{};
    std::optional<std::string> providerId;
    std::optional<std::string> providerSubject;
    std::optional<std::string> providerSid;

    bool active(Instant now) const noexcept { return !endedAt && now < idleExpiresAt && now < expiresAt; }
};

constexpr auto schemaOf(const BrowserSession*)
{
    return describe(
        members<&BrowserSession::id, &BrowserSession::userId, &BrowserSession::handleHash, &BrowserSession::replacedHash,
                &BrowserSession::replacedAt, &BrowserSession::amr, &BrowserSession::acr, &BrowserSession::authTime,
                &BrowserSession::idleExpiresAt, &BrowserSession::expiresAt, &BrowserSession::endedAt, &BrowserSession::createdAt,
                &BrowserSession::providerId, &BrowserSession::providerSubject, &BrowserSession::providerSid>());
}

/// Browser sessions that were not ended. For active ones, the two times of expiry must also be checked.
inline constexpr GlobalTable browserSessionTable{"browser_sessions", {.where = "ended_at IS NULL"}, &BrowserSession::id};

namespace browser_sessions
{
/// Returns the handle for the cookie. Only its hash is stored.
std::string insert(Session& session, BrowserSession made);
/// The one that a handle opens, also one that has ended; a handle that was replaced a moment ago opens it, too.
std::optional<BrowserSession> find(Session& session, std::string_view handle, Instant now);
/// Returns a new handle for this session. Returns none if the session is not active, or if the handle was replaced already.
std::optional<std::string> replaceHandle(Transaction& transaction, const std::string& id, std::string_view handle, Instant now);
/// Continues the session with a new sign-in of the same user and a new handle; the old handle becomes invalid. Returns none if the session
/// is not active, or if the handle was replaced already.
std::optional<std::string> renew(Transaction& transaction, const std::string& id, const BrowserSession& signedIn, std::string_view handle);
/// Invalidates the handle. Sign-ins from the session stay active.
void forgetHandle(Session& session, std::string_view handle);
std::optional<BrowserSession> findById(Session& session, std::string_view id);
/// Returns true if the last recorded use is more than an hour old.
bool isTouchDue(const BrowserSession& used, std::chrono::seconds idle, Instant now);
/// Records a use, which restarts the idle time.
void touch(Transaction& transaction, const BrowserSession& used, std::chrono::seconds idle, Instant now);
} // namespace browser_sessions

} // namespace portico::identity
