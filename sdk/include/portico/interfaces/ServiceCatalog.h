#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

/// Publisher of a service.
struct CatalogPublisher
{
    /// `platform` or `organization`.
    std::string type = "platform";
    /// Empty for the platform.
    std::string organizationId;
    std::string name;
    /// True for the platform, and for an organization with a verified domain.
    bool verified = false;
};

/// A row of the registry.
struct CatalogEntry
{
    std::string serviceId;
    std::string name;
    std::string description;
    /// `draft`, `ready`, `active`, `suspended` or `retired`.
    std::string status;
    /// True if it is available on a host now.
    bool active = false;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = false;
    bool householdCapable = false;
    std::string iconUrl;
    std::string launchUrl;
    /// `organization`, `personal`.
    std::vector<std::string> contexts;
    /// JSON text of the manifest, for members that identity does not use (`store`, `commerce`, `widget`, `mobile`).
    /// If an administrator has set a landing page, `landing` is that one.
    std::string manifest;
    /// Origin of the service, for example `https://crm.example.com`. The members from here on exist since 1.1.
    std::string origin;
    /// All web origins of the service, the one above first.
    std::vector<std::string> origins;
    /// True for a service that runs elsewhere and was registered through the API; false for a plugin of a host.
    bool remote = false;
    CatalogPublisher publisher;
    /// Absolute URL of `GET /api/widget`; empty for a service without a widget.
    std::string widgetUrl;
    /// Absolute URLs to which a browser can return with a code; empty for a service that takes no code.
    std::vector<std::string> callbackUrls;
    std::vector<std::string> categories;
    std::vector<std::string> collections;
    Instant createdAt{};
};

struct CatalogAccess
{
    std::string serviceId;
    bool accessible = false;
    /// Reason of the decision (`organization_access`, `personal_access`, `platform_bypass`, or why access is denied).
    std::string reason;
};

/// An application in a caller's application switcher. Since 1.1.
struct SwitcherEntry
{
    std::string serviceId;
    std::string name;
    std::string iconUrl;
    std::string launchUrl;
    std::string surfaceKind;
    std::string surfaceGroup;
    bool launchable = true;
    bool householdCapable = false;
    bool accessible = false;
    /// Has the values of `CatalogAccess::reason`.
    std::string accessReason;
};

/// The registry of services and the access of people to them. Thread-safe.
class ServiceCatalog : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.services";
    static constexpr std::string_view interfaceVersion = "1.1";
    /// Returns all services by id. @throws DatabaseError
    virtual std::vector<CatalogEntry> services() = 0;
    virtual std::optional<CatalogEntry> service(std::string_view serviceId) = 0;
    /// Access of a person, or of the owner of an API key, in the caller's context, by id, to the services that are active. Empty for a
    /// service principal.
    virtual std::vector<CatalogAccess> accessOf(const Caller& caller) = 0;
    /// Opaque version of what `services` returns except `manifest.landing` and `publisher`. Equal values mean equal entries, so read the
    /// entries again only after a change. Call it before `services`. Since 1.1. @throws DatabaseError
    virtual std::string version() { return {}; }
    /// Opaque versions of the caller's rights in services, one per ID, in the order of the IDs. A version changes whenever the caller's
    /// rights in that service may have changed (role, membership, bundles, overrides, access of the organization, security policy, grants
    /// of a key, household), and not otherwise. What was cached under another version may contain data that the caller has lost access to.
    /// Since 1.1. @throws DatabaseError
    virtual std::vector<std::string> accessVersions(const Caller& caller, const std::vector<std::string>& serviceIds)
    {
        static_cast<void>(caller);
        return std::vector<std::string>(serviceIds.size());
    }
    /// The applications of `GET /api/services/app-switcher` in its order, for a person in the caller's context. Since 1.1.
    /// @throws DatabaseError
    virtual std::vector<SwitcherEntry> switcher(const Caller& caller)
    {
        static_cast<void>(caller);
        return {};
    }
};

} // namespace portico::interfaces
