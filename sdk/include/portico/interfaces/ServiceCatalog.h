#pragma once

#include "portico/Caller.h"
#include "portico/Services.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

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
    /// JSON text of the manifest, for what identity does not act on (`store`, `commerce`, `widget`, `mobile`); its
    /// `landing` is what an administrator has set in its place, where there is such a page.
    std::string manifest;
};

struct CatalogAccess
{
    std::string serviceId;
    bool accessible = false;
    /// Why not, or why (`organization_access`, `personal_access`, `platform_bypass`).
    std::string reason;
};

/// The registry of services and the access of people to them. Thread-safe.
class ServiceCatalog : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.services";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// All of them, by id. @throws DatabaseError
    virtual std::vector<CatalogEntry> services() = 0;
    virtual std::optional<CatalogEntry> service(std::string_view serviceId) = 0;
    /// For the caller in their active context, by id, of the services that are active.
    virtual std::vector<CatalogAccess> accessOf(const Caller& caller) = 0;
};

} // namespace portico::interfaces
