#pragma once

#include "portico/Logger.h"
#include "portico/StateStore.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// Where several hosts keep their short-lived values together (`state.redis.*`).
struct RedisSettings
{
    std::string host = "127.0.0.1";
    std::uint16_t port = 6379;
    /// Number of the database in Redis.
    int database = 0;
    /// Empty: the default user.
    std::string user;
    /// Empty: no sign-in.
    std::string password;
    /// Every key begins with it and the id of the service; hosts that work together have the same.
    std::string prefix = "portico";
    /// Connections of this host, at most; all services share them.
    std::size_t connections = 8;
    /// Limit for opening a connection, for an answer and for a free connection, each separately.
    std::chrono::milliseconds timeout{1'000};
    /// After Redis did not answer, requests are refused immediately for this time, then one tries again.
    std::chrono::milliseconds pause{1'000};
    /// Maximum values per use. Above it, the values that would expire first are removed, so that a use takes no room from others. With keys
    /// and their set, a small value takes about 350 bytes.
    std::size_t valuesPerUse = 100'000;
    /// A lock expires after this time if its host died; renewed while the host lives.
    std::chrono::milliseconds lockLease{10'000};
};

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

/// The two symbols of an engine in its own library: one makes the engine with `new`, the other returns the version that it was built with.
/// The log outlives the engine.
using MakeStateEngine = StateEngine*(const RedisSettings& settings, Logger& log);
inline constexpr const char* makeStateEngineSymbol = "portico_make_state_engine";
inline constexpr const char* stateEngineVersionSymbol = "portico_state_engine_version";

/// Returns the use of a key of a StateStore: the text before its first colon.
inline std::string_view useOfKey(std::string_view key) noexcept
{
    const auto colon = key.find(':');
    return colon == std::string_view::npos ? std::string_view() : key.substr(0, colon);
}

} // namespace portico::host::platform
