#include "AdminPlugin.h"

using portico::admin::AdminPlugin;
PORTICO_PLUGIN(AdminPlugin);
