#pragma once

#include <string_view>

namespace portico::host::plugins
{

/// True if an interface of version `provided` (`1.2`) serves a plugin that asks for `wanted`: `^1` any 1.x, `^1.2` 1.2 or a later 1.x,
/// `1.2` exactly that. Both texts are as the manifest's schema admits them.
bool satisfies(std::string_view provided, std::string_view wanted);

/// True if an interface of version `provided` has all that one of version `compiled` has: code that was built against the one may call the
/// other.
bool isCallable(std::string_view provided, std::string_view compiled);

/// Compares versions of plugins (`1.4.0`, `2.0.0-rc.1`) as semver.org orders them: below zero if `left` is lower, zero if they are equal.
int compareVersions(std::string_view left, std::string_view right);

} // namespace portico::host::plugins
