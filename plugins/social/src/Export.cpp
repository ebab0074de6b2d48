#include "SocialPlugin.h"

using portico::social::SocialPlugin;
PORTICO_PLUGIN(SocialPlugin);
