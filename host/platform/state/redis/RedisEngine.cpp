#include "host/platform/state/redis/RedisEngine.h"

#include "host/platform/state/redis/RedisStateStore.h"

namespace portico::host::platform
{

std::unique_ptr<StateStore> RedisEngine::open(std::string_view serviceId)
{
    return std::make_unique<RedisStateStore>(_pool, _locks, serviceId);
}

} // namespace portico::host::platform
