#include "upstream/IdentityProvider.h"

#include "common/DomainName.h"
#include "records/Organization.h"
#include "tokens/KeyRing.h"
#include "users/User.h"

#include <algorithm>

namespace portico::identity
{

bool IdentityProvider::meansSecondFactor(const std::string& acr) const
{
    const auto found = acrMap.find(acr);
    return found != acrMap.end() && found->second == "aal2";
}

bool IdentityProvider::mapsSecondFactor() const
{
    return std::ranges::any_of(acrMap, [](const auto& level) { return level.second == "aal2"; });
}

bool isScopeToken(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~' && c != '"' && c != '\\'; });
}

namespace identity_providers
{

namespace
{

constexpr std::string_view methodPrefix = "idp:";

std::string sealPurpose(const IdentityProviderId& id) { return "identity-provider:" + id.text(); }

bool isVerifiedDomain(Session& session, const OrganizationId& organization, std::string_view domain)
{
    return session
        .value<std::int64_t>("SELECT 1 FROM organization_domains d JOIN organizations o ON o.id = d.organization_id "
                             "WHERE d.organization_id = $1 AND d.domain = $2 AND d.status = 'verified' AND o.status = 'active'",
                             organization, domain)
        .has_value();
}

std::string_view domainOf(std::string_view emailKey) noexcept
{
    const auto at = emailKey.rfind('@');
    return at == std::string_view::npos ? std::string_view() : emailKey.substr(at + 1);
}

void checkDomains(Session& session, const IdentityProvider& provider, Faults& faults)
{
    for (std::size_t i = 0; i < provider.domains.size(); ++i)
    {
        const auto place = "domains[" + std::to_string(i) + ']';
        if (!domains::isDomain(provider.domains[i]))
            faults.add(place, "invalid_domain", "Expected a domain name such as acme.example, in lower case.");
        else if (provider.organizationId && !isVerifiedDomain(session, *provider.organizationId, provider.domains[i]))
            faults.add(place, "domain_not_verified", "The organization has not proved that this domain is its own.");
    }
}

} // namespace

Tenant ownerOf(const std::optional<OrganizationId>& organization) noexcept
{
    return organization ? Tenant(*organization) : Tenant::fromStored("installation");
}

std::optional<IdentityProvider> find(Session& session, const IdentityProviderId& id)
{
    return session.one<IdentityProvider>("SELECT " + columns<IdentityProvider>() + " FROM identity_providers WHERE id = $1", id);
}

std::vector<IdentityProvider> ofInstallation(Session& session)
{
    return identityProviderTable.select(ownerOf(std::nullopt))
        .where(&IdentityProvider::status, ProviderStatus::Active)
        .orderBy(&IdentityProvider::createdAt)
        .all(session);
}

void check(Session& session, const IdentityProvider& provider, bool plainHttp)
{
    Faults faults;
    if (provider.issuer.empty()) faults.add("issuer", "required", "The provider's issuer, as its discovery document names it.");
    if (!plainHttp && !provider.issuer.empty() && !provider.issuer.starts_with("https://"))
        faults.add("issuer", "not_https", "Providers are asked by https only.");
    if (provider.issuer.find_first_of("?#") != std::string::npos)
        faults.add("issuer", "invalid_issuer", "An issuer has neither a query nor a fragment.");
    checkDomains(session, provider, faults);
    for (const auto& [acr, level] : provider.acrMap)
        if (level != "aal1" && level != "aal2") faults.add("acrMap." + acr, "invalid_choice", "Use aal1 or aal2.");
    if (!provider.organizationId && provider.joinRole)
        faults.add("joinRole", "not_allowed", "Roles are those of an organization, and this provider is the installation's.");
    // An organization vouches for its own domains. For other addresses it is a stranger.
    if (provider.organizationId && provider.trustEmail)
        faults.add("trustEmail", "not_allowed", "Only a provider of the installation is believed about every address.");
    faults.raise();
}

bool vouchesFor(Session& session, const IdentityProvider& provider, std::string_view emailKey)
{
    return provider.organizationId && isVerifiedDomain(session, *provider.organizationId, domainOf(emailKey));
}

std::optional<IdentityProvider> homeOf(Session& session, std::string_view identifier)
{
    const auto key = emailKey(identifier);
    const std::string domain(domainOf(key));
    if (domain.empty()) return std::nullopt;
    const auto owner = session.value<OrganizationId>("SELECT organization_id FROM organization_domains "
                                                     "WHERE domain = $1 AND status = 'verified'",
                                                     domain);
    const auto organization = owner ? organizations::find(session, *owner) : std::nullopt;
    if (!organization || organization->status != OrganizationStatus::Active) return std::nullopt;
    const auto& methods = organization->securityPolicy.allowedLoginMethods;
    const auto isProvider = [](const std::string& method) { return method.starts_with(methodPrefix); };
    if (methods.empty() || !std::ranges::all_of(methods, isProvider)) return std::nullopt;
    for (const auto& method : methods)
    {
        const auto id = IdentityProviderId::parse(std::string_view(method).substr(methodPrefix.size()));
        auto provider = id ? find(session, *id) : std::nullopt;
        if (!provider || !provider->usable() || (provider->organizationId && provider->organizationId != organization->id)) continue;
        if (provider->domains.empty() || std::ranges::find(provider->domains, domain) != provider->domains.end()) return provider;
    }
    return std::nullopt;
}

std::string sealedSecret(const Core& core, const IdentityProviderId& id, std::string_view secret)
{
    return secret.empty() ? std::string() : core.keys.sealer().seal(secret, sealPurpose(id));
}

std::string openedSecret(const Core& core, const IdentityProvider& provider)
{
    return provider.clientSecret.empty() ? std::string() : core.keys.sealer().open(provider.clientSecret, sealPurpose(provider.id));
}

void noteUse(Core& core, const IdentityProvider& provider, std::string_view error)
{
    core.database.transact(
        [&](Transaction& transaction)
        {
            const auto owner = ownerOf(provider.organizationId);
            if (error.empty())
                identityProviderTable.set(transaction, owner, provider.id, &IdentityProvider::lastUsedAt, core.clock.now(),
                                          &IdentityProvider::lastError, std::nullopt);
            else
                identityProviderTable.set(transaction, owner, provider.id, &IdentityProvider::lastError, std::string(error));
        });
}

} // namespace identity_providers

} // namespace portico::identity
