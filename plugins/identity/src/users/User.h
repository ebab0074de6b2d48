#pragma once

#include "common/Ids.h"
#include "permissions/Role.h"

#include "portico/Schema.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

enum class UserStatus : std::uint8_t
{
    PendingVerification,
    Active,
    Suspended,
    Deactivated,
    Deleted
};

enum class PrincipalType : std::uint8_t
{
    User,
    Agent,
    Service,
    External
};

/// Which second factors a user has.
struct FactorSummary
{
    bool totp = false;
    std::int64_t passkeys = 0;
    std::int64_t recoveryCodesLeft = 0;
};

/// A person or agent with an account.
struct User
{
    UserId id;
    std::string email;
    bool emailVerified = false;
    std::string displayName;
    std::string givenName;
    std::string familyName;
    std::optional<std::string> avatarUrl;
    std::string locale = "en";
    std::string timezone = "UTC";
    UserStatus status = UserStatus::PendingVerification;
    /// In the context that is shown; not a property of the user.
    Role role = Role::Member;
    std::optional<PlatformRole> platformRole;
    PrincipalType principalType = PrincipalType::User;
    std::vector<std::string> principalServices;
    bool launcherEligible = true;
    FactorSummary mfa;
    std::optional<Instant> lastLoginAt;
    std::int64_t version = 1;
    Instant createdAt{};
    Instant updatedAt{};

    /// Only in rows.
    std::string emailKey;
    std::optional<std::string> passwordHash;
    std::int64_t revision = 1;
};

} // namespace portico::identity

template <>
struct portico::Schema<portico::identity::UserStatus>
{
    using UserStatus = portico::identity::UserStatus;
    static constexpr auto choices = portico::choices<UserStatus>({{"pending_verification", UserStatus::PendingVerification},
                                                                  {"active", UserStatus::Active},
                                                                  {"suspended", UserStatus::Suspended},
                                                                  {"deactivated", UserStatus::Deactivated},
                                                                  {"deleted", UserStatus::Deleted}});
};

template <>
struct portico::Schema<portico::identity::PrincipalType>
{
    using PrincipalType = portico::identity::PrincipalType;
    static constexpr auto choices = portico::choices<PrincipalType>({{"user", PrincipalType::User},
                                                                     {"agent", PrincipalType::Agent},
                                                                     {"service", PrincipalType::Service},
                                                                     {"external", PrincipalType::External}});
};

template <>
struct portico::Schema<portico::identity::FactorSummary>
{
    using T = portico::identity::FactorSummary;
    static constexpr auto fields =
        describe(field("totp", &T::totp), field("passkeys", &T::passkeys), field("recoveryCodesLeft", &T::recoveryCodesLeft));
};

template <>
struct portico::Schema<portico::identity::User>
{
    using T = portico::identity::User;
    static constexpr auto fields =
        describe(field("id", &T::id).readOnly(), field("email", &T::email).readOnly(), field("emailVerified", &T::emailVerified).readOnly(),
                 field("displayName", &T::displayName).required().maxLength(120), field("givenName", &T::givenName).maxLength(80),
                 field("familyName", &T::familyName).maxLength(80), field("avatarUrl", &T::avatarUrl).uri(),
                 field("locale", &T::locale).required().maxLength(35), field("timezone", &T::timezone).required().maxLength(64),
                 field("status", &T::status).readOnly(), field("role", &T::role).readOnly().unstored(),
                 field("platformRole", &T::platformRole).readOnly(), field("principalType", &T::principalType).readOnly(),
                 field("principalServices", &T::principalServices).readOnly(), field("launcherEligible", &T::launcherEligible).readOnly(),
                 field("mfa", &T::mfa).readOnly().unstored(), field("createdAt", &T::createdAt).readOnly(),
                 field("lastLoginAt", &T::lastLoginAt).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
                 field("version", &T::version).readOnly(), field("emailKey", &T::emailKey).hidden(),
                 field("passwordHash", &T::passwordHash).hidden(), field("revision", &T::revision).hidden());
};
