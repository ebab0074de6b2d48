#pragma once

#include "catalog/AppCatalog.h"

#include "portico/Plugin.h"

#include <memory>
#include <mutex>
#include <string>

namespace portico::launchpad
{

/// The registry of services, read from identity and kept until it changes. Thread-safe.
class Registry
{
public:
    explicit Registry(PluginContext& context) : _context(context) {}

    /// Returns the services of this moment. While identity is away, those read last.
    /// @throws Problem 503 `registry_unavailable` if none have been read yet; DatabaseError
    std::shared_ptr<const AppCatalog> apps() const;

private:
    PluginContext& _context;
    mutable std::mutex _mutex;
    mutable std::shared_ptr<const AppCatalog> _apps;
    mutable std::string _version;
    mutable Instant _readAt{};
};

} // namespace portico::launchpad
