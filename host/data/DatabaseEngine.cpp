#include "host/data/DatabaseEngine.h"

namespace portico::host::data
{

PoolLimits poolLimits(const DatabaseSettings& settings, int maximum)
{
    return {maximum, settings.sessionWait, settings.idleCheck, settings.idleClose};
}

} // namespace portico::host::data
