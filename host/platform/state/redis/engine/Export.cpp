#include "host/platform/state/redis/RedisStateStore.h"

// Symbols that host/platform/context/Platform.cpp loads.
extern "C" __attribute__((visibility("default"))) const char* portico_state_engine_version() { return PORTICO_VERSION; }

extern "C" __attribute__((visibility("default"))) portico::host::platform::StateEngine*
portico_make_state_engine(const portico::host::platform::RedisSettings& settings, portico::Logger& log)
{
    return new portico::host::platform::RedisEngine(settings, log);
}
