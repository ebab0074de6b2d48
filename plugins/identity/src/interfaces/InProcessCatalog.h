#pragma once

#include "common/Core.h"

#include "portico/interfaces/ServiceCatalog.h"

namespace portico::identity
{

/// `identity.services`: the registry for plugins on the same host. Thread-safe.
class InProcessCatalog final : public interfaces::ServiceCatalog
{
public:
    explicit InProcessCatalog(Core& core) : _core(core) {}
    std::vector<interfaces::CatalogEntry> services() override;
    std::optional<interfaces::CatalogEntry> service(std::string_view serviceId) override;
    std::vector<interfaces::CatalogAccess> accessOf(const Caller& caller) override;
    std::string version() override;
    std::vector<interfaces::SwitcherEntry> switcher(const Caller& caller) override;

private:
    Core& _core;
};

} // namespace portico::identity
