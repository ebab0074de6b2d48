#pragma once

#include "catalog/CatalogStore.h"
#include "common/Settings.h"

#include "portico/Clock.h"
#include "portico/interfaces/ServiceRegistry.h"

namespace portico::identity
{

/// `portico.service-registry`: takes the manifests of all services that are enabled on a host into the catalog and says which of them are
/// complete.
class Registry final : public interfaces::ServiceRegistry
{
public:
    Registry(Changes& changes, const Settings& settings, const Clock& clock) : _changes(changes), _settings(settings), _clock(clock) {}
    std::vector<interfaces::Registration> publish(std::string_view hostId, std::span<const interfaces::RegisteredService> enabled) override;

private:
    Changes& _changes;
    const Settings& _settings;
    const Clock& _clock;
};

/// Whether organizations may use a service without being granted it one by one.
bool isDefaultService(const Settings& settings, std::string_view serviceId);

} // namespace portico::identity
