#pragma once

#include "preferences/Preferences.h"

#include "portico/Arguments.h"
#include "portico/Plugin.h"

namespace portico::launchpad::shared_members
{

/// Fills in theme, density and locale from identity. Uses the defaults for values that launchpad does not know, and while identity is
/// unavailable.
void read(PluginContext& context, const Caller& caller, Preferences& preferences);
/// @throws Problem 503 `preferences_unavailable` while identity is away
void requireProvider(PluginContext& context);
/// Writes those that the patch names. @throws Problem as `requireProvider`
void write(PluginContext& context, const Caller& caller, const Preferences& preferences, const Patch<Preferences>& patch);

} // namespace portico::launchpad::shared_members
