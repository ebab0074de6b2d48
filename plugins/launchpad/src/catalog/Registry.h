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

    /// Returns the current services; while identity is unavailable, those of the last read.
    /// @throws Problem 503 `registry_unavailable` if none have been read yet; DatabaseError
    std::shared_ptr<const AppCatalog> apps() const;

private:
    std::shared_ptr<const AppCatalog> read(interfaces::ServiceCatalog& registry, std::string version, Instant now) const;

    PluginContext& _context;
    mutable std::mutex _mutex;
    mutable std::shared_ptr<const AppCatalog> _apps;
    mutable std::string _version;
    mutable Instant _readAt{};
    /// True while a thread reads entries again that are current but old. The others use the old ones.
    mutable bool _renewing = false;
};

} // namespace portico::launchpad
