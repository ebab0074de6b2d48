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
    /// The active organization, or empty in personal context. For a service principal the organization of its OAuth client.
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
    /// The operator who impersonates this user, `usr_…`; otherwise empty. Routes with `Access::inPerson` reject such callers with 403
    /// `permission_denied`.
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
    /// Resource type to ids, for a key that is restricted to them. A missing type is not restricted.
    std::map<std::string, std::vector<std::string>> boundResources;
    /// Maximum requests of this principal per window; 0: the host's default.
    std::int64_t rateLimit = 0;
    std::int64_t rateWindowSeconds = 60;
    Instant expiresAt{};
    std::int64_t revision = 0;
    /// The household that the caller has selected, `hh_…`, in personal context; empty otherwise.
    std::string householdId;
    /// True for a fan-out token (`interfaces::SignIns::widgetToken`): the host accepts it for `GET /api/widget` only.
    bool widgetOnly = false;

    bool anonymous() const noexcept { return credential == CredentialKind::None; }
    /// Returns true for an OAuth client with a token for itself. False for an organization's key, although its type is `service`, too.
    bool isServicePrincipal() const noexcept
    {
        return credential == CredentialKind::AccessToken && sessionId.empty() && principalType == "service" && !widgetOnly;
    }
    /// The active organization, as the tenant of the data of an organization's service.
    /// @throws Problem 403 `service_access_denied` in personal context.
    Tenant tenant() const;
    /// Tenant for a service with personal context: the active organization, or in personal context the user.
    Tenant tenantOrSelf() const;
    /// The user behind a session, an agent's token or a user's key.
    /// @throws Problem 403 `permission_denied` for other callers: anonymous ones, service principals and organizations' keys.
    UserId userId() const;
    bool may(std::string_view permission) const noexcept;
    bool hasScope(std::string_view scope) const noexcept;
    /// False only for a key that is restricted to other resources of this type.
    bool reaches(std::string_view resourceType, std::string_view resourceId) const noexcept;

    /// Moves a caller to the heap, with a deleter in libportico, so that it may outlive the plugin that created it.
    static std::shared_ptr<const Caller> share(Caller caller);
    static const Caller& nobody() noexcept;
};

} // namespace portico
