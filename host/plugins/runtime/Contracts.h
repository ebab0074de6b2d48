#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Plugin.h"
#include "portico/Routes.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// Interfaces that the lifecycle uses and other rooms implement: contexts by platform, routes by routing, the catalog by the daemon.

/// Registrations of a generation at its start. `clear` drops everything that points into the plugin, on the lifecycle thread, after the
/// drain and before `destroy`.
class GenerationContext : public PluginContext
{
public:
    /// Starts delivering jobs and events to this generation: called when it is published. Its interfaces, which the context has passed to
    /// InterfaceRegistry::offer, are made findable by the lifecycle thread.
    virtual void activate() = 0;
    /// Stops new jobs and events from entering this generation: called when draining begins, also of one that never was activated.
    virtual void deactivate() = 0;
    /// Drops every function and object of the plugin. Returns descriptions of those that could not be dropped (empty: all counts are zero).
    virtual std::vector<std::string> clear() = 0;
};

/// Makes the context of a new generation and knows how to prepare a service's data. Implemented by platform.
class ContextFactory
{
public:
    virtual ~ContextFactory() = default;
    /// Applies the service's migrations; throws std::runtime_error with file, place, expected, found and remedy.
    virtual void migrate(const Manifest& manifest) = 0;
    /// Releases resources that a service keeps between its generations, such as its database. Called when no generation is left.
    virtual void close(const std::string& serviceId) = 0;
    virtual std::unique_ptr<GenerationContext> create(const Manifest& manifest, const std::shared_ptr<Generation>& generation) = 0;
};

/// A route as the host keeps it, its permission completed with the service's id.
struct RouteInfo : Route
{
    /// Index of the handler in the generation.
    std::size_t slot = 0;
};

/// One build of a service's pages, as the host keeps it: its folder stays as long as the build is published.
struct PageBuild
{
    std::filesystem::path folder;
    /// Relative to the folder, with `/` between the parts.
    std::vector<std::string> files;
};

enum class ServiceStatus
{
    Serving,
    Disabled, ///< switched off by configuration, or an incomplete registration
    Quarantined,
    Failed ///< enabled, but could not be started
};

/// One service as the route table needs it. A service that does not serve keeps the routes it last had (empty if it never ran).
struct PublishedService
{
    std::shared_ptr<const Manifest> manifest;
    ServiceStatus status = ServiceStatus::Disabled;
    /// Only when serving.
    std::shared_ptr<Generation> generation;
    std::shared_ptr<const std::vector<RouteInfo>> routes;
    /// Exact web origins of the service; the first is the canonical one.
    std::vector<std::string> origins;
    /// False: protected routes answer 503 `service_disabled` although the plugin runs (incomplete registration).
    bool registered = true;
    /// Builds of its pages, the one that is in force first; null without pages, and empty where the plugin was built without them.
    std::shared_ptr<const std::vector<PageBuild>> pages = {};
};

/// Publishes the set of services from the lifecycle thread. Implemented by routing.
class Publisher
{
public:
    virtual ~Publisher() = default;
    /// Builds the route table of the set. The returned function publishes it for new requests, and does not throw; without a call nothing
    /// changes. @throws std::invalid_argument with the faults of the set (route clashes, gateway clashes), one per line
    virtual std::function<void()> prepare(std::vector<PublishedService> services) = 0;
    /// Makes the set the one that new requests see. @throws as prepare
    void publish(std::vector<PublishedService> services) { prepare(std::move(services))(); }
};

/// Reports the services to the provider of the service catalog. Called by the lifecycle thread after each change, and again when the
/// provider itself is started or replaced.
class RegistrationLink
{
public:
    virtual ~RegistrationLink() = default;
    /// @returns services that are not registered, by id, with the reason; nullopt if there is no provider: then registrations stay
    /// unchanged.
    /// @throws std::exception if the call failed; the next change calls again.
    virtual std::optional<std::map<std::string, std::string>> announce(const std::vector<PublishedService>& services) = 0;
};

} // namespace portico::host::plugins
