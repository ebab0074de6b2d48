#pragma once

#include "portico/Crypto.h"
#include "portico/Plugin.h"

namespace portico::calendar
{

/// Seals what is kept and must be read again: guests' links, passwords of other calendars. Its keys are those of the setting
/// `calendar.sealingKeys`, after them one that lies in the database and is made when there is none.
/// @throws std::invalid_argument for lines that are no keys
Sealer openSealer(PluginContext& context);

} // namespace portico::calendar
