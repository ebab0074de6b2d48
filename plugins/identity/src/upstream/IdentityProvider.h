#pragma once

#include "common/Core.h"
#include "common/Ids.h"
#include "common/Names.h"
#include "common/Role.h"

#include "portico/Table.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

using IdentityProviderId = Id<"idp">;

enum class ProviderKind : std::uint8_t
{
    Oidc, ///< OpenID Connect with discovery
    GitHub
};

constexpr auto schemaOf(const ProviderKind*)
{
    return portico::choices<ProviderKind>({{"oidc", ProviderKind::Oidc}, {"github", ProviderKind::GitHub}});
}

/// Policy for users of a provider who have no account or membership yet.
enum class ProviderJoin : std::uint8_t
{
    Off,      ///< only users with an account who are members of the provider's organization
    Existing, ///< users with an account become members
    Create    ///< others get an account too
};

constexpr auto schemaOf(const ProviderJoin*)
{
    using enum ProviderJoin;
    return portico::choices<ProviderJoin>({{"off", Off}, {"existing", Existing}, {"create", Create}});
}

enum class ProviderStatus : std::uint8_t
{
    Active,
    Disabled
};

constexpr auto schemaOf(const ProviderStatus*)
{
    return portico::choices<ProviderStatus>({{"active", ProviderStatus::Active}, {"disabled", ProviderStatus::Disabled}});
}

struct ProviderButton
{
    std::string label;
    std::optional<std::string> iconUrl;
    bool operator==(const ProviderButton&) const = default;
};

constexpr auto schemaOf(const ProviderButton*)
{
    return describe(named(field<&ProviderButton::label>().trimmed().maxLength(80)), field<&ProviderButton::iconUrl>().uri());
}

/// External identity provider: a row of `identity_providers`.
struct IdentityProvider : Versioned
{
    IdentityProviderId id;
    std::string name;
    ProviderKind kind = ProviderKind::Oidc;
    std::string issuer;
    std::string clientId;
    /// Sealed.
    std::string clientSecret;
    std::vector<std::string> scopes;
    /// Empty for a provider of the installation, which operators manage.
    std::optional<OrganizationId> organizationId;
    /// Domains whose users are redirected to it; none: decided by the organization's policy.
    std::vector<std::string> domains;
    ProviderButton button;
    ProviderJoin join = ProviderJoin::Off;
    std::optional<Role> joinRole;
    /// User who has set the role.
    std::optional<UserId> joinRoleBy;
    /// True if addresses that it reports as verified are trusted.
    bool trustEmail = false;
    /// Maps its `acr` to local levels: `aal2` for a second factor.
    std::map<std::string, std::string> acrMap;
    ProviderStatus status = ProviderStatus::Active;
    std::optional<Instant> lastUsedAt;
    std::optional<std::string> lastError;
    /// Rank of the user who has last configured its address or client.
    std::int64_t setUpRank = 0;

    bool asksAs(const IdentityProvider& other) const noexcept
    {
        return kind == other.kind && issuer == other.issuer && clientId == other.clientId && clientSecret == other.clientSecret;
    }
    bool usable() const noexcept { return status == ProviderStatus::Active; }
    bool meansSecondFactor(const std::string& acr) const;
    /// Returns true if it has an `acr` for a second factor.
    bool mapsSecondFactor() const;
    const std::string& buttonLabel() const noexcept { return button.label.empty() ? name : button.label; }
    /// Name in `SecurityPolicy::allowedLoginMethods` and `amr`.
    std::string loginMethod() const { return "idp:" + id.text(); }
};

/// Returns true for a scope token of RFC 6749, 3.3.
bool isScopeToken(std::string_view text);

constexpr auto schemaOf(const IdentityProvider*)
{
    return describe(field<&IdentityProvider::id>().readOnly(), named(field<&IdentityProvider::name>().required().trimmed().maxLength(120)),
                    field<&IdentityProvider::kind>(), field<&IdentityProvider::issuer>().uri().maxLength(500),
                    field<&IdentityProvider::clientId>().required().maxLength(500),
                    field<&IdentityProvider::clientSecret>().writeOnly().maxLength(2000),
                    field<&IdentityProvider::scopes>().maxItems(30).maxLength(200).matches(
                        isScopeToken, "invalid_scope", "one scope token without blanks (RFC 6749, 3.3)"),
                    field<&IdentityProvider::organizationId>(), field<&IdentityProvider::domains>().maxItems(50),
                    field<&IdentityProvider::button>(), field<&IdentityProvider::join>().column("join_mode"),
                    members<&IdentityProvider::joinRole, &IdentityProvider::trustEmail>(), field<&IdentityProvider::acrMap>().maxItems(50),
                    field<&IdentityProvider::status>(), field<&IdentityProvider::lastUsedAt>().readOnly(),
                    field<&IdentityProvider::lastError>().readOnly(), versioned<IdentityProvider>(),
                    field<&IdentityProvider::joinRoleBy>().columnOnly(), field<&IdentityProvider::setUpRank>().columnOnly());
}

inline constexpr Table identityProviderTable{"identity_providers", {.tenant = "owner_id"}, &IdentityProvider::id};

/// Rows of providers.
namespace identity_providers
{
/// Returns the owner of a provider; valid as long as the id.
Tenant ownerOf(const std::optional<OrganizationId>& organization) noexcept;
/// Finds a provider of any owner.
std::optional<IdentityProvider> find(Session& session, const IdentityProviderId& id);
/// Returns the active providers of the installation, in the order of creation.
std::vector<IdentityProvider> ofInstallation(Session& session);
/// Checks a provider without contacting it. @throws Problem 400 `validation_failed`
void check(Session& session, const IdentityProvider& provider, bool plainHttp);
/// Returns true if an address is in a domain that the provider's organization has verified.
bool vouchesFor(Session& session, const IdentityProvider& provider, std::string_view emailKey);
/// Returns the provider that users with such an address must use, because their organization allows nothing else. Looks up domains only,
/// never accounts.
std::optional<IdentityProvider> homeOf(Session& session, std::string_view identifier);

std::string sealedSecret(const Core& core, const IdentityProviderId& id, std::string_view secret);
/// Empty for a public client.
std::string openedSecret(const Core& core, const IdentityProvider& provider);
/// Writes down how the last sign-in there went; empty: well. No change of the record.
void noteUse(Core& core, const IdentityProvider& provider, std::string_view error);
} // namespace identity_providers

} // namespace portico::identity
