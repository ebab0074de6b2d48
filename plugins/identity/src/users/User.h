#pragma once

#include "common/Ids.h"
#include "common/IgnoredOnInput.h"
#include "common/Names.h"
#include "common/Role.h"

#include "portico/Table.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

struct MailRecipient;

enum class UserStatus : std::uint8_t
{
    PendingVerification,
    Active,
    Suspended,
    Deactivated,
    Deleted
};

constexpr auto schemaOf(const UserStatus*)
{
    using enum UserStatus;
    return portico::choices<UserStatus>({{"pending_verification", PendingVerification},
                                         {"active", Active},
                                         {"suspended", Suspended},
                                         {"deactivated", Deactivated},
                                         {"deleted", Deleted}});
}

enum class PrincipalType : std::uint8_t
{
    User,
    Agent,
    Service,
    External
};

constexpr auto schemaOf(const PrincipalType*)
{
    using enum PrincipalType;
    return portico::choices<PrincipalType>({{"user", User}, {"agent", Agent}, {"service", Service}, {"external", External}});
}

/// Which second factors a user has.
struct FactorSummary
{
    bool totp = false;
    std::int64_t passkeys = 0;
    std::int64_t recoveryCodesLeft = 0;
};

constexpr auto schemaOf(const FactorSummary*)
{
    return describe(members<&FactorSummary::totp, &FactorSummary::passkeys, &FactorSummary::recoveryCodesLeft>());
}

/// A person or agent with an account.
struct User : Versioned
{
    UserId id;
    std::string email;
    bool emailVerified = false;
    std::string displayName;
    std::string givenName;
    std::string familyName;
    std::optional<std::string> avatarUrl;
    /// Both empty until they are known, and then chosen: pages go by the browser. The first sign-in by a browser says the language.
    std::string locale;
    std::string timezone;
    UserStatus status = UserStatus::PendingVerification;
    /// In the context that is shown; not a property of the user.
    Role role = Role::Member;
    std::optional<PlatformRole> platformRole;
    PrincipalType principalType = PrincipalType::User;
    std::vector<std::string> principalServices;
    bool launcherEligible = true;
    FactorSummary mfa;
    std::optional<Instant> lastLoginAt;

    /// Only in rows.
    std::string emailKey;
    /// `displayName` as it is searched (`fold`).
    std::optional<std::string> foldedName;
    std::optional<std::string> passwordHash;
    /// Hash of the password's hash for which a new one is demanded.
    std::optional<std::string> passwordExpiredFor;
    std::int64_t revision = 1;
    /// When a deactivated account is deleted, unless its owner signs in before.
    std::optional<Instant> deletionAt;
    std::optional<HouseholdId> selectedHouseholdId;
    std::optional<Instant> passwordSetAt;

    /// Returns true if the user may sign in, which also cancels a planned deletion.
    bool maySignIn() const noexcept { return status == UserStatus::Active || (status == UserStatus::Deactivated && deletionAt); }
};

constexpr auto schemaOf(const User*)
{
    return describe(
        field<&User::id>().readOnly(), field<&User::email>().readOnly(), field<&User::emailVerified>().readOnly(),
        named(field<&User::displayName>().required().trimmed().maxLength(120)), named(field<&User::givenName>().trimmed().maxLength(80)),
        named(field<&User::familyName>().trimmed().maxLength(80)), field<&User::avatarUrl>().uri(), field<&User::locale>().maxLength(35),
        field<&User::timezone>().maxLength(64), field<&User::status>().readOnly(), field<&User::role>().readOnly().transient(),
        field<&User::platformRole>().readOnly(), field<&User::principalType>().readOnly(), field<&User::principalServices>().readOnly(),
        field<&User::launcherEligible>().readOnly(), field<&User::mfa>().readOnly().transient(), field<&User::lastLoginAt>().readOnly(),
        versioned<User>(), field<&User::emailKey>().columnOnly(), field<&User::foldedName>().columnOnly(),
        field<&User::passwordHash>().columnOnly(), field<&User::passwordExpiredFor>().columnOnly(), field<&User::revision>().columnOnly(),
        field<&User::deletionAt>().columnOnly(), field<&User::selectedHouseholdId>().columnOnly(),
        field<&User::passwordSetAt>().columnOnly());
}

inline constexpr GlobalTable userTable{"users", &User::id};

/// Describes members that inputs about an account ignore.
template <class Input>
constexpr auto readBackOfUser()
{
    return readBackVersioned<Input>("id", "email", "emailVerified", "givenName", "familyName", "avatarUrl", "locale", "timezone",
                                    "principalType", "mfa", "lastLoginAt");
}

/// Two spellings of one address have one key: white space around it gone, ASCII in lower case.
std::string emailKey(std::string_view email);

/// For LIKE with the backslash as its escape: what holds that text anywhere.
std::string likePattern(std::string_view text);

/// A mail to the user's own address.
MailRecipient mailRecipient(const User& user);

/// Rows of users. Every function works in the session that it is given.
namespace users
{
std::optional<User> find(Session& session, std::string_view id);
std::optional<User> findByEmail(Session& session, std::string_view email);
/// A new one.
void insert(Transaction& transaction, User user);
/// Folds a batch of names from before names were folded. @return whether there may be more
bool foldNames(Transaction& transaction);
/// Raises the revision, by which tokens show that the user has changed.
void raiseRevision(Transaction& transaction, const UserId& id);
} // namespace users

} // namespace portico::identity
