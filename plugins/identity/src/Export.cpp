#include "IdentityPlugin.h"

PORTICO_PLUGIN(portico::identity::IdentityPlugin);
