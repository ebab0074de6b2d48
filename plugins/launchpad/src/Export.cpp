#include "LaunchpadPlugin.h"

using portico::launchpad::LaunchpadPlugin;
PORTICO_PLUGIN(LaunchpadPlugin);
