#pragma once

#include "host/platform/state/RedisSettings.h"

#include "portico/Logger.h"
#include "portico/StateStore.h"

#include <memory>
#include <string_view>

namespace portico::host::platform
{

/// Makes the stores of short-lived values that several hosts share. Lives longer than every store that it made. Thread-safe.
class StateEngine
{
public:
    virtual ~StateEngine() = default;
    /// The values of one service. Nothing is connected yet.
    virtual std::unique_ptr<StateStore> open(std::string_view serviceId) = 0;
    /// @throws Problem 503 when the server cannot be asked
    virtual void ping() = 0;
};

/// The two symbols of an engine that is a library of its own: it makes the engine with `new`, and tells the version that it was built with.
/// The log outlives the engine.
using MakeStateEngine = StateEngine*(const RedisSettings& settings, Logger& log);
inline constexpr const char* makeStateEngineSymbol = "portico_make_state_engine";
inline constexpr const char* stateEngineVersionSymbol = "portico_state_engine_version";

} // namespace portico::host::platform
