#pragma once

#include "common/Ids.h"

#include "portico/Database.h"
#include "portico/Schema.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Address for users who have lost access to their account: a row of `recovery_emails`.
struct RecoveryEmail
{
    std::optional<std::string> email;
    std::optional<Instant> verifiedAt;
    /// Address that waits for its code; `email` is valid until then.
    std::optional<std::string> pendingEmail;

    std::string_view status() const noexcept { return pendingEmail ? "pending" : email ? "verified" : "missing"; }
};

constexpr auto schemaOf(const RecoveryEmail*)
{
    return describe(members<&RecoveryEmail::email, &RecoveryEmail::verifiedAt, &RecoveryEmail::pendingEmail>());
}

/// Masked form for answers, also to its owner: the thief of a session must not learn the address.
struct RecoveryEmailView
{
    std::string status = "missing";
    std::optional<std::string> maskedEmail;
    std::optional<std::string> pendingMaskedEmail;
    std::optional<Instant> verifiedAt;
    std::optional<Instant> resendAvailableAt;
};

constexpr auto schemaOf(const RecoveryEmailView*)
{
    return describe(members<&RecoveryEmailView::status, &RecoveryEmailView::maskedEmail, &RecoveryEmailView::pendingMaskedEmail,
                            &RecoveryEmailView::verifiedAt, &RecoveryEmailView::resendAvailableAt>());
}

/// Rows of recovery addresses. Every function works in the given session.
namespace recovery_emails
{
RecoveryEmail find(Session& session, std::string_view userId);
RecoveryEmailView view(Session& session, std::string_view userId);
/// Returns a few users who have verified this recovery address.
std::vector<std::string> usersOf(Session& session, std::string_view email);
/// Removes the address and a pending one. @return whether there was any
bool remove(Session& session, const UserId& user, Instant now);
/// Removes an address that was verified at `since` or later, and a pending one from that time.
void removeSince(Session& session, const UserId& user, Instant since, Instant now);
/// Returns `j***@e***.org`.
std::string masked(std::string_view email);
/// Minimum time between two codes.
inline constexpr std::chrono::seconds resendWait{60};
} // namespace recovery_emails

} // namespace portico::identity
