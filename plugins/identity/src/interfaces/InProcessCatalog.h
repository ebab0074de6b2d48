#pragma once

#include "interfaces/AccessVersions.h"

#include "portico/interfaces/ServiceCatalog.h"

namespace portico::identity
{

/// `identity.services`: the registry for plugins on the same host. Thread-safe.
class InProcessCatalog final : public interfaces::ServiceCatalog
{
public:
    explicit InProcessCatalog(Core& core) : _core(core), _versions(core) {}
    std::vector<interfaces::CatalogEntry> services() override;
    std::optional<interfaces::CatalogEntry> service(std::string_view serviceId) override;
    std::vector<interfaces::CatalogAccess> accessOf(const Caller& caller) override;
    std::string version() override;
    std::vector<std::string> accessVersions(const Caller& caller, const std::vector<std::string>& serviceIds) override;
    std::vector<interfaces::SwitcherEntry> switcher(const Caller& caller) override;

    /// Returns whether a service is open to the caller in their context.
    bool isOpen(const Caller& caller, std::string_view serviceId);

private:
    Core& _core;
    AccessVersions _versions;
};

} // namespace portico::identity
