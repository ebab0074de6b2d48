#pragma once

#include "host/platform/state/StateEngine.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace portico::tests
{

/// A Redis of the tests' own on a free port of loopback, which keeps nothing on disk. It ends with the thread that made it, however that
/// ends. Used by one thread.
class RedisServer
{
public:
    /// Empty: no password. @throws std::runtime_error with the reason when it cannot be started
    explicit RedisServer(std::string password = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    /// How to reach it, with a time-out that a busy machine does not reach.
    host::platform::RedisSettings settings() const;
    /// Runs one command over a new connection; returns simple strings and numbers of the answer as text.
    std::string ask(const std::vector<std::string_view>& command) const;

    /// Ends it at once, with all that it knew.
    void kill();
    void start();
    /// It takes connections and answers nothing, until `thaw`.
    void freeze();
    void thaw();

private:
    bool answers() const;

    const std::string _password;
    std::uint16_t _port = 0;
    std::filesystem::path _directory;
    pid_t _server = -1;
};

} // namespace portico::tests
