#pragma once

#include "host/platform/state/StateEngine.h"
#include "host/platform/state/redis/RedisLocks.h"
#include "host/platform/state/redis/RedisPool.h"

namespace portico::host::platform
{

/// The stores of all services on one Redis, over the same connections.
class RedisEngine final : public StateEngine
{
public:
    /// Connects to nothing yet. `log` outlives it.
    RedisEngine(const RedisSettings& settings, Logger& log) : _pool(settings, log), _locks(_pool, log) {}

    std::unique_ptr<StateStore> open(std::string_view serviceId) override;
    void ping() override { _pool.execute({"PING"}); }

private:
    RedisPool _pool;
    RedisLocks _locks;
};

} // namespace portico::host::platform
