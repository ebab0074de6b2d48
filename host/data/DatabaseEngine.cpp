#include "host/data/DatabaseEngine.h"

namespace portico::host::data
{

PoolLimits poolLimits(const DatabaseSettings& settings, int maximum)
{
    return {.maximum = maximum, .wait = settings.sessionWait, .idleCheck = settings.idleCheck, .idleClose = settings.idleClose};
}

} // namespace portico::host::data
