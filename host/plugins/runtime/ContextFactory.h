#pragma once

#include "host/plugins/package/Manifest.h"
#include "host/plugins/runtime/Generation.h"

#include "portico/Plugin.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// What a generation registered with the host while it started. Everything in it that points into the plugin is dropped by `clear`, on the
/// lifecycle thread, after the drain and before `destroy`.
class GenerationContext : public PluginContext
{
public:
    /// Starts delivering jobs and events to this generation: called when it is published. Its interfaces, which the context has passed to
    /// InterfaceRegistry::offer, are made findable by the lifecycle thread.
    virtual void activate() = 0;
    /// Stops new jobs and events from entering this generation: called when draining begins, also of one that never was activated.
    virtual void deactivate() = 0;
    /// Drops every function and object of the plugin; what could not be dropped, in words (empty: all counts are zero).
    virtual std::vector<std::string> clear() = 0;
};

/// Makes the context of a new generation and knows how to prepare a service's data. Implemented by platform.
class ContextFactory
{
public:
    virtual ~ContextFactory() = default;
    /// Applies the service's migrations; throws std::runtime_error with file, place, expected, found and remedy.
    virtual void migrate(const Manifest& manifest) = 0;
    /// Lets go of what is kept open for a service between its generations, as its database: none of them is left.
    virtual void close(const std::string& serviceId) = 0;
    virtual std::unique_ptr<GenerationContext> create(const Manifest& manifest, const std::shared_ptr<Generation>& generation) = 0;
};

} // namespace portico::host::plugins
