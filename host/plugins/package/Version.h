#pragma once

#include "host/plugins/package/Manifest.h"

#include <string_view>

namespace portico::host::plugins
{

/// Returns true if an interface of version `provided` (`1.2`) satisfies a plugin that requires `wanted`: `^1` any 1.x, `^1.2` 1.2 or a
/// later 1.x, `1.2` exactly that. Both texts conform to the manifest's schema.
bool satisfies(std::string_view provided, std::string_view wanted);

/// True if an interface of version `provided` has all that one of version `compiled` has: code that was built against the one may call the
/// other.
bool isCallable(std::string_view provided, std::string_view compiled);

/// Compares versions of plugins (`1.4.0`, `2.0.0-rc.1`) as semver.org orders them: below zero if `left` is lower, zero if they are equal.
int compareVersions(std::string_view left, std::string_view right);

/// Interfaces that a plugin may offer and look up: those in its manifest. Pure functions, for hosts and for tests without one.

/// Returns the entry of `plugin.requires`. @throws std::logic_error that names the interface when there is none
const InterfaceReference& requireNeeded(const Manifest& manifest, std::string_view name);

/// @throws std::logic_error that names the interface when `plugin.provides` does not list it in this version
void requireProvided(const Manifest& manifest, std::string_view name, std::string_view version);

/// Returns true if a plugin that was compiled against one version, and has this entry in its manifest, may call the provided version.
bool mayUse(const InterfaceReference& need, std::string_view compiled, std::string_view provided);

} // namespace portico::host::plugins
