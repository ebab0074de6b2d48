#pragma once

#include "host/plugins/package/Manifest.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portico::host::plugins
{

/// In which order plugins start, from what they require and provide.
struct DependencyPlan
{
    /// Providers before those that need them, also where they could do without unless that makes a ring, else by id; stops go the other
    /// way. Plugins with faults are not in it.
    std::vector<std::string> order;
    /// Faults by service: missing interfaces, interfaces of another version, interfaces with several providers although not all of them
    /// allow that, and cycles.
    std::map<std::string, std::vector<std::string>, std::less<>> faults;
    /// By service: interfaces that it could do without, and does, because they are provided in another version.
    std::map<std::string, std::vector<std::string>, std::less<>> warnings;
};

/// @param manifests of all installed plugins, enabled or not: a provider that is switched off is no fault, its interface is absent for a
/// while. Of two that provide the same interface, and do not both say that there may
/// be many, the first may.
DependencyPlan planDependencies(const std::vector<std::shared_ptr<const Manifest>>& manifests);

} // namespace portico::host::plugins
