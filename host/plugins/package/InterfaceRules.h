#pragma once

#include "host/plugins/package/Manifest.h"

#include <string_view>

namespace portico::host::plugins
{

/// What a plugin may offer and look for: what its manifest lists. Pure functions, for hosts and for tests without one.

/// The entry of `plugin.requires`. @throws std::logic_error that names the interface when there is none
const InterfaceReference& requireNeeded(const Manifest& manifest, std::string_view name);

/// @throws std::logic_error that names the interface when `plugin.provides` does not list it in this version
void requireProvided(const Manifest& manifest, std::string_view name, std::string_view version);

/// Whether a plugin that was compiled against one version, and needs what its manifest says, may call what is provided.
bool mayUse(const InterfaceReference& need, std::string_view compiled, std::string_view provided);

} // namespace portico::host::plugins
