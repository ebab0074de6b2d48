#pragma once

#include "installs/Standing.h"
#include "launches/Launch.h"

#include "portico/Plugin.h"

#include <map>
#include <string>

namespace portico::launchpad
{

/// The history of launches. Learns from identity's events which codes were exchanged. Thread-safe.
class Launches
{
public:
    explicit Launches(PluginContext& context) : _context(context) {}
    /// Subscribes to exchanges, and registers the job that removes old launches.
    void start();

    /// Returns the launches of 30 days of the whole installation, by service.
    std::map<std::string, std::int64_t> popularity() const;
    /// Returns the caller's launches in the active context, by service.
    std::map<std::string, AppUse> usesOf(Session& session, const Caller& caller) const;

private:
    void exchanged(const std::string& handoffId) const;
    void removeOld() const;

    PluginContext& _context;
};

} // namespace portico::launchpad
