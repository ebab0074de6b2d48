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

/// Kinds of second factor.
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

/// Name of an app whose owner gave it none.
inline constexpr std::string_view defaultAppName = "Authenticator app";

inline constexpr Table totpFactorTable{"totp_factors", {.tenant = "user_id"}, &TotpFactor::id};

/// Rows of second factors. Every function works in the session that it is given.
namespace factors
{
/// Returns the purpose for which a secret of the user is sealed.
std::string purposeOf(const UserId& user);
/// Returns the content of `User::mfa`.
FactorSummary summary(Session& session, const UserId& user);
inline bool any(const FactorSummary& summary) noexcept { return summary.totp || summary.passkeys > 0; }
/// Returns the factors to choose from at a sign-in; none without an app or a passkey.
std::vector<FactorKind> choices(const FactorSummary& summary);

/// Replaces all recovery codes by ten new ones. Returns them in plain text, which is not stored.
std::vector<std::string> renewRecoveryCodes(Session& session, const UserId& user, Instant now);
/// Uses a recovery code in any typed form. Returns false for one that is unknown or was used.
bool useRecoveryCode(Session& session, const UserId& user, std::string_view typed, Instant now);

/// Removing the last factor is refused where an organization demands one. @throws Problem 409 `last_factor_required_by_policy`
void requireRemaining(Session& session, const UserId& user);
} // namespace factors

} // namespace portico::identity
