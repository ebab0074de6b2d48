#include "catalog/Registry.h"

#include "portico/Problem.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
/// Names of publishers are not part of the version.
constexpr auto longestUse = std::chrono::minutes(1);
} // namespace

std::shared_ptr<const AppCatalog> Registry::apps() const
{
    const auto registry = _context.services().find<interfaces::ServiceCatalog>();
    const auto now = _context.clock().now();
    auto version = registry ? registry->version() : std::string();
    {
        const std::lock_guard lock(_mutex);
        const bool current = _apps && (!registry || (!version.empty() && version == _version));
        if (current && (!registry || now - _readAt < longestUse || _renewing)) return _apps;
        _renewing = current;
    }
    if (!registry)
        throw Problem::unavailable("registry_unavailable", "The service registry cannot be read at the moment. Try again later.");
    return read(*registry, std::move(version), now);
}

std::shared_ptr<const AppCatalog> Registry::read(interfaces::ServiceCatalog& registry, std::string version, Instant now) const
try
{
    auto apps = std::make_shared<const AppCatalog>(registry.services());
    const std::lock_guard lock(_mutex);
    _apps = apps;
    _version = std::move(version);
    _readAt = now;
    _renewing = false;
    return apps;
}
catch (...)
{
    const std::lock_guard lock(_mutex);
    _renewing = false;
    throw;
}

} // namespace portico::launchpad
