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

/// What becomes of people who come from a provider and are not at home here yet.
enum class ProviderJoin : std::uint8_t
{
    Off,      ///< only who has an account, and is a member of the provider's organization
    Existing, ///< who has an account becomes a member
    Create    ///< others get an account, too
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

/// Somebody elsewhere who says who people are: a row of `identity_providers`.
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
    /// Empty: the installation's, which operators look after.
    std::optional<OrganizationId> organizationId;
    /// Whose people are led there; none: whoever the organization's policy leads there.
    std::vector<std::string> domains;
    ProviderButton button;
    ProviderJoin join = ProviderJoin::Off;
    std::optional<Role> joinRole;
    /// Who has set it.
    std::optional<UserId> joinRoleBy;
    /// Addresses that it calls verified are believed to be.
    bool trustEmail = false;
    /// What its `acr` counts for here: `aal2` for a second factor.
    std::map<std::string, std::string> acrMap;
    ProviderStatus status = ProviderStatus::Active;
    std::optional<Instant> lastUsedAt;
    std::optional<std::string> lastError;
    /// Of who said last where to ask, and as whom.
    std::int64_t setUpRank = 0;

    bool asksAs(const IdentityProvider& other) const noexcept
    {
        return kind == other.kind && issuer == other.issuer && clientId == other.clientId && clientSecret == other.clientSecret;
    }
    bool usable() const noexcept { return status == ProviderStatus::Active; }
    bool meansSecondFactor(const std::string& acr) const;
    const std::string& buttonLabel() const noexcept { return button.label.empty() ? name : button.label; }
    /// As `SecurityPolicy::allowedLoginMethods` and `amr` name it.
    std::string loginMethod() const { return "idp:" + id.text(); }
};

constexpr auto schemaOf(const IdentityProvider*)
{
    return describe(field<&IdentityProvider::id>().readOnly(), named(field<&IdentityProvider::name>().required().trimmed().maxLength(120)),
                    field<&IdentityProvider::kind>(), field<&IdentityProvider::issuer>().uri().maxLength(500),
                    field<&IdentityProvider::clientId>().required().maxLength(500),
                    field<&IdentityProvider::clientSecret>().writeOnly().maxLength(2000),
                    field<&IdentityProvider::scopes>().maxItems(30).maxLength(200), field<&IdentityProvider::organizationId>(),
                    field<&IdentityProvider::domains>().maxItems(50), field<&IdentityProvider::button>(),
                    field<&IdentityProvider::join>().column("join_mode"),
                    members<&IdentityProvider::joinRole, &IdentityProvider::trustEmail>(), field<&IdentityProvider::acrMap>().maxItems(50),
                    field<&IdentityProvider::status>(), field<&IdentityProvider::lastUsedAt>().readOnly(),
                    field<&IdentityProvider::lastError>().readOnly(), versioned<IdentityProvider>(),
                    field<&IdentityProvider::joinRoleBy>().columnOnly(), field<&IdentityProvider::setUpRank>().columnOnly());
}

inline constexpr Table identityProviderTable{"identity_providers", {.tenant = "owner_id"}, &IdentityProvider::id};

/// Rows of providers.
namespace identity_providers
{
/// Whose a provider is; lives as long as the id does.
Tenant ownerOf(const std::optional<OrganizationId>& organization) noexcept;
/// Whoever it belongs to.
std::optional<IdentityProvider> find(Session& session, const IdentityProviderId& id);
/// The installation's that can be used, in the order in which they were made.
std::vector<IdentityProvider> ofInstallation(Session& session);
/// What is wrong with it, that its rows tell. @throws Problem 400 `validation_failed`
void check(Session& session, const IdentityProvider& provider, bool plainHttp);
/// Whether an address lies in a domain that the provider's organization has proved.
bool vouchesFor(Session& session, const IdentityProvider& provider, std::string_view emailKey);
/// Where people with such an address sign in, because their organization allows nothing else. Looks at domains, never at accounts.
std::optional<IdentityProvider> homeOf(Session& session, std::string_view identifier);

std::string sealedSecret(const Core& core, const IdentityProviderId& id, std::string_view secret);
/// Empty for a public client.
std::string openedSecret(const Core& core, const IdentityProvider& provider);
/// Writes down how the last sign-in there went; empty: well. No change of the record.
void noteUse(Core& core, const IdentityProviderId& id, std::string_view error);
} // namespace identity_providers

} // namespace portico::identity
