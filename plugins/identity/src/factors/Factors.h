#pragma once

#include "common/Ids.h"
#include "users/User.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// How somebody proves, beside a password, who they are.
enum class FactorKind : std::uint8_t
{
    Totp,
    Passkey,
    RecoveryCode
};

constexpr auto schemaOf(const FactorKind*)
{
    using enum FactorKind;
    return portico::choices<FactorKind>({{"totp", Totp}, {"passkey", Passkey}, {"recovery_code", RecoveryCode}});
}

/// A row of `totp_factors`: an app that shows codes.
struct TotpFactor
{
    FactorId id;
    std::string name;
    /// Sealed for `purposeOf`.
    std::string secret;
    /// Period of the newest code that was used.
    std::int64_t lastStep = 0;
    std::optional<Instant> lastUsedAt;
    Instant createdAt{};
};

constexpr auto schemaOf(const TotpFactor*)
{
    return describe(members<&TotpFactor::id, &TotpFactor::name, &TotpFactor::secret, &TotpFactor::lastStep, &TotpFactor::lastUsedAt,
                            &TotpFactor::createdAt>());
}

inline constexpr Table totpFactorTable{"totp_factors", {.tenant = "user_id"}, &TotpFactor::id};

/// Rows of second factors. Every function works in the session that it is given.
namespace factors
{
/// What a secret of that user is sealed for.
std::string purposeOf(const UserId& user);
/// What `User::mfa` shows.
FactorSummary summary(Session& session, const UserId& user);
inline bool any(const FactorSummary& summary) noexcept { return summary.totp || summary.passkeys > 0; }
/// Those that somebody may choose from at a sign-in; none for who has neither app nor passkey.
std::vector<FactorKind> choices(const FactorSummary& summary);

/// Ten new codes in place of all others, as they are shown this once.
std::vector<std::string> renewRecoveryCodes(Session& session, const UserId& user, Instant now);
/// Uses one, however it was typed; false for one that is unknown or was used.
bool useRecoveryCode(Session& session, const UserId& user, std::string_view typed, Instant now);

/// Removing the last factor is refused where an organization demands one. @throws Problem 409 `last_factor_required_by_policy`
void requireRemaining(Session& session, const UserId& user);
} // namespace factors

} // namespace portico::identity
