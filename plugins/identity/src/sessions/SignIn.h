#pragma once

#include "audit/Audit.h"
#include "common/Ids.h"
#include "records/SecurityPolicy.h"
#include "users/User.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

struct ProviderSession;

/// One sign-in of one app: `Session` of the interface (the SDK's Session is a database session).
struct SignIn : Versioned
{
    SessionId id;
    /// True for the sign-in of the request.
    bool current = false;
    Instant lastSeenAt{};
    /// Absolute expiry.
    Instant expiresAt{};
    std::string ipPrefix;
    std::string userAgent;
    std::string clientId;
    /// Empty for a client without a service, whose tokens are valid for userinfo only.
    std::string serviceId;
    /// Methods of authentication (RFC 8176).
    std::vector<std::string> amr;
    std::string acr = "aal1";
    bool dpopBound = false;

    /// Scope of the client, and thumbprint of the key to which its tokens are bound.
    std::string scope = "openid profile";
    std::optional<std::string> dpopJkt;
    UserId userId;
    /// Subject under which the client knows the user, if it differs from their id.
    std::optional<std::string> subject;
    std::optional<std::string> browserSessionId;
    /// The active context; empty: personal.
    std::optional<OrganizationId> organizationId;
    Instant authTime{};
    std::optional<Instant> elevatedUntil;
    std::optional<Instant> endedAt;
    std::optional<std::string> endReason;
    /// The operator who acts as the user, and the sign-in of theirs that this one ends with.
    std::optional<UserId> impersonatorId;
    std::optional<SessionId> impersonatorSessionId;

    /// `sub` of its tokens.
    std::string sub() const { return subject.value_or(userId.text()); }
    bool active(Instant now) const noexcept { return !endedAt && now < expiresAt; }
    /// A step-up that still counts.
    bool elevated(Instant now) const noexcept { return elevatedUntil && now < *elevatedUntil; }
    /// Returns true if its client may act while the user is signed out.
    bool offline() const { return (' ' + scope + ' ').find(" offline_access ") != std::string::npos; }
    std::string effectiveAcr(Instant now) const { return elevated(now) ? "aal2" : acr; }
};

constexpr auto schemaOf(const SignIn*)
{
    return describe(field<&SignIn::id>(), field<&SignIn::current>().transient(),
                    members<&SignIn::lastSeenAt, &SignIn::expiresAt, &SignIn::ipPrefix, &SignIn::userAgent>(),
                    field<&SignIn::clientId>("client_id"), field<&SignIn::serviceId>("service_id"),
                    members<&SignIn::amr, &SignIn::acr, &SignIn::dpopBound>(), versioned<SignIn>(), field<&SignIn::scope>().columnOnly(),
                    field<&SignIn::dpopJkt>().columnOnly(), field<&SignIn::userId>().columnOnly(), field<&SignIn::subject>().columnOnly(),
                    field<&SignIn::browserSessionId>().columnOnly(), field<&SignIn::organizationId>().columnOnly(),
                    field<&SignIn::authTime>().columnOnly(), field<&SignIn::elevatedUntil>().columnOnly(),
                    field<&SignIn::endedAt>().columnOnly(), field<&SignIn::endReason>().columnOnly(),
                    field<&SignIn::impersonatorId>().columnOnly(), field<&SignIn::impersonatorSessionId>().columnOnly())
        .named("Session");
}

/// Sign-ins that were not ended. For active ones, `expiresAt` must also be checked.
inline constexpr Table signInTable{"sessions", {.tenant = "user_id", .where = "ended_at IS NULL"}, &SignIn::id};

/// Values of amr (RFC 8176).
namespace amr
{
inline constexpr std::string_view password = "pwd";
inline constexpr std::string_view oneTimeCode = "otp";
/// A passkey.
inline constexpr std::string_view key = "pop";
/// Two factors at once: a passkey that has asked for a PIN, a finger or a face.
inline constexpr std::string_view several = "mfa";
} // namespace amr

/// Why a sign-in ended.
namespace end_reason
{
inline constexpr std::string_view logout = "logout";
inline constexpr std::string_view expired = "expired_absolute";
inline constexpr std::string_view idle = "expired_idle";
inline constexpr std::string_view reuse = "reuse_detected";
inline constexpr std::string_view revokedByUser = "revoked_by_user";
inline constexpr std::string_view revokedByAdmin = "revoked_by_admin";
inline constexpr std::string_view passwordChanged = "password_changed";
inline constexpr std::string_view userDisabled = "user_disabled";
} // namespace end_reason

struct LiveSignIn
{
    SignIn signIn;
    User user;
};

/// Rows of sign-ins, and of the browser sessions that they came from.
namespace sign_ins
{
void insert(Session& session, const SignIn& signIn);
std::optional<SignIn> find(Session& session, std::string_view id);
/// Returns the sign-in if it and its user are active.
std::optional<LiveSignIn> live(Session& session, std::string_view id, Instant now);
/// Active ones of a user, the newest first.
std::vector<SignIn> ofUser(Session& session, const UserId& userId, Instant now);
/// Ends those that are not yet ended, with their refresh families, and records each as `session.ended`; the ids that this call ended.
/// @param by log of another user who ends them; null: their own user
std::vector<std::string> end(Transaction& transaction, const std::vector<SignIn>& signIns, std::string_view reason, Instant now,
                             const AuditLog* by = nullptr);
/// Ends all sign-ins and browser sessions of a user. Revokes mails that would change the address or the password, because an attacker may
/// have requested them.
/// @param keep sign-in that stays active with its browser session; other sign-ins of that browser end
/// @param by like `end`
std::vector<std::string> endAll(Transaction& transaction, const UserId& userId, std::string_view reason, Instant now,
                                std::string_view keep = {}, const AuditLog* by = nullptr);
/// Returns the active sign-ins of an OAuth client, of all users or of one.
std::vector<SignIn> ofClient(Session& session, std::string_view clientId, const std::optional<UserId>& userId);
/// Returns the sign-ins through a provider that have not ended, also those that continue after their browser session.
/// @param from session at the provider; an empty subject or session ID selects all
std::vector<SignIn> ofProvider(Session& session, const ProviderSession& from);
/// All that came from the same browser session; the sign-in itself when it came from none.
std::vector<SignIn> ofSameBrowser(Session& session, const SignIn& signIn);
/// Ends the browser sessions that sign-ins came from, which would sign in again without a password. Ends no sign-ins.
/// @param keep sign-in whose browser session stays active @return the active sign-ins of the browser sessions that ended
std::vector<SignIn> endBrowsers(Transaction& transaction, const std::vector<SignIn>& signIns, std::string_view keep, Instant now);
/// Returns when an app last used a sign-in of this browser session in the organization; empty if the session has none there.
std::optional<Instant> lastUse(Session& session, std::string_view browserSessionId, const OrganizationId& organization);

void setContext(Transaction& transaction, SignIn& signIn, const std::optional<OrganizationId>& organization, Instant now);
/// Records a step-up by that amr method until the given time. A second factor stays with the sign-in.
void elevate(Transaction& transaction, SignIn& signIn, std::string_view proof, Instant until, Instant now);
/// Limits the sign-in and its refresh families to `end`, and the families to `idle` without use. Extends nothing.
void limit(Transaction& transaction, SignIn& signIn, Instant end, std::chrono::seconds idle, Instant now);

/// Applies a stricter policy to sign-ins in an organization. Shortens them, and ends those by a forbidden method. Those that are too old
/// end with `findExpired`.
/// @param by log of the user who changed the policy @return the ids that ended
std::vector<std::string> applyPolicy(Transaction& transaction, const OrganizationId& organization, const SecurityPolicy& policy,
                                     Instant now, const AuditLog& by);
/// Returns some sign-ins that have expired by time or idleness but were not ended, oldest first.
std::vector<SignIn> findExpired(Session& session, Instant now);
/// SQL condition for rows of `sessions` that have expired by idleness. Its only parameter is the time.
inline constexpr char notIdle[] =
    "NOT EXISTS (SELECT 1 FROM refresh_families f WHERE f.session_id = sessions.id AND f.idle_expires_at <= ?)";

/// Returns the user's last context at a service: none if there was none, an empty id for personal.
std::optional<std::optional<OrganizationId>> lastContext(Session& session, std::string_view userId, std::string_view serviceId);
} // namespace sign_ins

} // namespace portico::identity
