#pragma once

#include "portico/Crypto.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Creates the sealer for stored secrets: guests' links, passwords of external calendars. Its keys are those of the setting
/// `calendar.sealingKeys`, followed by one in the database, which is created if it is missing.
/// @throws std::invalid_argument for invalid lines
Sealer openSealer(PluginContext& context);

} // namespace portico::calendar
