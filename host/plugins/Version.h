#pragma once

#include <string_view>

namespace portico::host::plugins
{

/// True if an interface of version `provided` (`1.2`) serves a plugin that asks for `wanted`: `^1` any 1.x, `^1.2` 1.2 or a later 1.x,
/// `1.2` exactly that. Both texts are as the manifest's schema admits them.
bool satisfies(std::string_view provided, std::string_view wanted);

} // namespace portico::host::plugins
