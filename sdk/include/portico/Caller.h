#pragma once

#include "portico/Export.h"
#include "portico/Instant.h"
#include "portico/Tenant.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico
{

/// How a request was authenticated.
enum class CredentialKind : std::uint8_t
{
    None,
    AccessToken,
    ApiKey,
    Cookie
};

/// The authenticated caller of one request. Immutable, so threads may share it. Valid for this request only; a later request may get
/// another value for the same credential.
struct PORTICO_API Caller
{
    CredentialKind credential = CredentialKind::None;
    /// `usr_…`, or the client id of a service principal. For a key its owner: `usr_…` or `org_…`. Empty for an anonymous caller.
    std::string principalId;
    /// `user`, `agent`, `service` or `external`.
    std::string principalType;
    std::string displayName;
    std::string email;
    /// The active organization, or empty in personal context. Of a service principal the one that its OAuth client belongs to.
    std::string organizationId;
    std::string organizationName;
    /// Role in the active context: `owner`, `super_admin`, `admin`, `member`, `guest`.
    std::string role = "member";
    /// `platform_super_admin`, `platform_admin` or empty.
    std::string platformRole;
    /// True for an operator who is a member of the admin organization now.
    bool platformBypass = false;
    /// `ses_…`, or empty for a key.
    std::string sessionId;
    /// The operator who acts as this person, `usr_…`; empty: it is the person. What only they themselves may do is refused then
    /// (`Access::inPerson`).
    std::string impersonatorId;
    /// True for tokens of third-party apps and exchanged tokens. Such a token opens its own service, and elsewhere only routes with
    /// `Access::orDelegated`.
    bool delegated = false;
    std::string acr;
    std::string clientId;
    std::string scope;
    Instant authenticatedAt{};
    /// `key_…` and its public part, or empty.
    std::string apiKeyId;
    std::string apiKeyPublicId;
    std::string apiKeyName;
    /// Service that a service principal represents. Empty for a client of an organization.
    std::string ownServiceId;
    /// The service that the credential was checked for.
    std::string serviceId;
    /// Full names, `crm.contacts:read`, sorted.
    std::vector<std::string> permissions;
    /// Scopes of a key in this service, or of a service principal's token; sorted.
    std::vector<std::string> scopes;
    /// Type of resource to ids, of a key whose grant is narrowed; a type that is missing is not narrowed.
    std::map<std::string, std::vector<std::string>> boundResources;
    /// Requests a window that this principal may make; 0 = the host's default.
    std::int64_t rateLimit = 0;
    std::int64_t rateWindowSeconds = 60;
    Instant expiresAt{};
    std::int64_t revision = 0;
    /// The household that the caller has selected, `hh_…`, in personal context; empty otherwise.
    std::string householdId;
    /// True for a fan-out token (`interfaces::SignIns::widgetToken`): the host accepts it for `GET /api/widget` only.
    bool widgetOnly = false;

    bool anonymous() const noexcept { return credential == CredentialKind::None; }
    /// An OAuth client that speaks for itself. An organization's key is of the type `service`, too, but no such principal.
    bool isServicePrincipal() const noexcept
    {
        return credential == CredentialKind::AccessToken && sessionId.empty() && principalType == "service" && !widgetOnly;
    }
    /// The active organization, as the tenant of the data of an organization's service.
    /// @throws Problem 403 `service_access_denied` in personal context.
    Tenant tenant() const;
    /// The same for a service that people also use for themselves: in personal context the person.
    Tenant tenantOrSelf() const;
    bool may(std::string_view permission) const noexcept;
    bool hasScope(std::string_view scope) const noexcept;
    /// False only for a key that is narrowed to other resources of this type.
    bool reaches(std::string_view resourceType, std::string_view resourceId) const noexcept;

    /// Puts a caller on the heap, in libportico's code, so that it may outlive the plugin that made it.
    static std::shared_ptr<const Caller> share(Caller caller);
    static const Caller& nobody() noexcept;
};

} // namespace portico
