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
    std::shared_ptr<const AppCatalog> known;
    std::string version;
    if (registry) version = registry->version();
    {
        const std::lock_guard lock(_mutex);
        if (_apps && (!registry || (!version.empty() && version == _version && now - _readAt < longestUse))) known = _apps;
    }
    if (known) return known;
    if (!registry) throw Problem::unavailable("registry_unavailable", "The registry of services cannot be read now.");
    auto read = std::make_shared<const AppCatalog>(registry->services());
    const std::lock_guard lock(_mutex);
    _apps = read;
    _version = std::move(version);
    _readAt = now;
    return read;
}

} // namespace portico::launchpad
