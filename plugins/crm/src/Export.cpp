#include "CrmPlugin.h"

using portico::crm::CrmPlugin;
PORTICO_PLUGIN(CrmPlugin);
