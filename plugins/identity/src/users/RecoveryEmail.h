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

/// Where somebody can be reached who has lost access to their account: a row of `recovery_emails`.
struct RecoveryEmail
{
    std::optional<std::string> email;
    std::optional<Instant> verifiedAt;
    /// Waits for its code; `email` counts until then.
    std::optional<std::string> pendingEmail;

    std::string_view status() const noexcept { return pendingEmail ? "pending" : email ? "verified" : "missing"; }
};

constexpr auto schemaOf(const RecoveryEmail*)
{
    return describe(members<&RecoveryEmail::email, &RecoveryEmail::verifiedAt, &RecoveryEmail::pendingEmail>());
}

/// The same as it is shown, also to its owner: whoever has taken a session over does not learn the address.
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

/// Rows of recovery addresses. Every function works in the session that it is given.
namespace recovery_emails
{
RecoveryEmail find(Session& session, std::string_view userId);
RecoveryEmailView view(Session& session, std::string_view userId);
/// Users who have shown that this address is theirs, for that; a few at most.
std::vector<std::string> usersOf(Session& session, std::string_view email);
/// Removes what there is, also what waits for its code. @return whether there was any
bool remove(Session& session, const UserId& user, Instant now);
/// Removes an address that was proved at `since` or later, and one that was named since and waits for its code.
void removeSince(Session& session, const UserId& user, Instant since, Instant now);
/// `j***@e***.org`
std::string masked(std::string_view email);
/// Between two codes.
inline constexpr std::chrono::seconds resendWait{60};
} // namespace recovery_emails

} // namespace portico::identity
