#pragma once

#include "audit/Audit.h"
#include "common/Ids.h"

#include "portico/Database.h"
#include "portico/Schema.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Kinds of what opens an account, or acts for it.
enum class AccountCredentialKind : std::uint8_t
{
    Password,
    Passkey,
    Totp,
    RecoveryCode, ///< all codes of the account are one entry
    LinkedAccount,
    RecoveryEmail,
    ApiKey, ///< keys of the account and of its agents
    Consent,
    SignIn, ///< of browsers, apps and native apps
    RefreshFamily,
    Agent,           ///< agents that the account owns
    OrganizationKey, ///< keys of organizations that the account, or a key that it made, has made
};

constexpr auto schemaOf(const AccountCredentialKind*)
{
    using enum AccountCredentialKind;
    return portico::choices<AccountCredentialKind>({{"password", Password},
                                                    {"passkey", Passkey},
                                                    {"totp", Totp},
                                                    {"recovery_code", RecoveryCode},
                                                    {"linked_account", LinkedAccount},
                                                    {"recovery_email", RecoveryEmail},
                                                    {"api_key", ApiKey},
                                                    {"consent", Consent},
                                                    {"session", SignIn},
                                                    {"refresh_family", RefreshFamily},
                                                    {"agent", Agent},
                                                    {"organization_key", OrganizationKey}});
}

/// One thing that opens an account.
struct AccountCredential
{
    AccountCredentialKind kind = AccountCredentialKind::Password;
    /// Id of its record; empty where that is a secret or there is one at most.
    std::string id;
    Instant createdAt{};
};

constexpr auto schemaOf(const AccountCredential*)
{
    return describe(field<&AccountCredential::kind>(), field<&AccountCredential::id>().omitEmpty(), field<&AccountCredential::createdAt>());
}

/// Selects what `account_credentials::remove` removes.
struct CredentialRemoval
{
    std::vector<AccountCredentialKind> kinds;
    /// Removes only credentials created at this time or later. Sign-ins end and passwords expire regardless of their age. Empty: removes
    /// all.
    std::optional<Instant> since = {};
    /// Stored with the keys that end.
    std::string_view keyReason = {};
    /// Stored with the sign-ins that end.
    std::string_view signInReason = {};
};

struct RemovedCredentials
{
    std::vector<AccountCredential> items;
    std::vector<std::string> endedSignIns;

    bool has(AccountCredentialKind kind) const noexcept;
    /// Kind, id and creation of each item.
    AuditDetails auditDetails() const;
};

/// The one list of everything that opens an account. A table that stores a further kind belongs here; a test compares the list with the
/// tables of the database. Every function works in the session that it is given.
namespace account_credentials
{
/// All kinds.
std::vector<AccountCredentialKind> all();
/// All kinds but these.
std::vector<AccountCredentialKind> allBut(const std::vector<AccountCredentialKind>& excluded);
/// Passkeys, authenticator apps and recovery codes.
std::vector<AccountCredentialKind> secondFactors();
/// Names of the tables that store credentials of that kind.
std::vector<std::string_view> tablesOf(AccountCredentialKind kind);

/// Lists the credentials of the account that were created at `since` or later, in the order of the kinds.
std::vector<AccountCredential> list(Session& session, const UserId& user, const std::vector<AccountCredentialKind>& kinds,
                                    Instant since = {});

/// Returns the ids of all principals whose cached callers a removal affects: the account, its agents, and the organizations whose keys it
/// has created.
std::vector<std::string> concerned(Session& session, const UserId& user);
/// Does the same for `Changes::run`. The result refers to the ids.
std::vector<Tenant> tenants(const std::vector<std::string>& ids);

/// Removes what the removal selects. The caller runs this as a change that concerns `concerned`, and announces the ended sign-ins.
RemovedCredentials remove(Transaction& transaction, const UserId& user, const CredentialRemoval& removal, Instant now);
} // namespace account_credentials

} // namespace portico::identity
