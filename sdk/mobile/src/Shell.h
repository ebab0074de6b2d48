#pragma once

#include "portico_mobile.h"

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Collects bytes up to a limit.
struct pm_sink
{
    std::size_t limit = 0;
    std::string bytes = {};
    bool overflowed = false;
};

struct pm_response
{
    pm_sink body;
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers = {};
};

namespace portico::mobile
{

/// Ends a call with a status.
struct Failure
{
    pm_status status = PM_INTERNAL;
    /// Error code of the server.
    std::string problem = {};
};

struct HttpAnswer
{
    int status = 0;
    std::string body;
    /// Headers that the library reads.
    std::string etag, nonce;
};

struct HttpCall
{
    std::string method, url;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body = {};
    std::uint32_t timeoutMs = 30'000;
};

/// The functions of the shell, with what they return checked. Not thread-safe.
class Shell
{
public:
    explicit Shell(const pm_shell& functions) : _functions(functions) {}

    /// Empty: no response arrived. @throws Failure PM_BAD_ANSWER for a response without a status or one that is too large
    std::optional<HttpAnswer> send(const HttpCall& call) const;
    /// Empty: there is none. @throws Failure PM_STORAGE
    std::optional<std::string> secret(const std::string& name) const;
    /// False: the stored value was another one. @throws Failure PM_STORAGE
    bool replaceSecret(const std::string& name, const std::optional<std::string>& expected, std::string_view value) const;
    /// @throws Failure PM_STORAGE
    void deleteSecret(const std::string& name) const;
    /// Returns the two coordinates, 64 bytes. @throws Failure PM_KEY
    std::string publicKey() const;
    /// Returns r and s, 64 bytes. @throws Failure PM_KEY
    std::string sign(std::string_view data) const;
    /// Returns 32 random bytes. @throws Failure PM_KEY
    std::string random() const;
    std::int64_t now() const { return _functions.now(_functions.context); }
    /// Empty: missing, unreadable or too large.
    std::optional<std::string> cached(const char* name) const;
    /// A cache that cannot be written is a warning in the log.
    void cache(const char* name, std::string_view content) const;
    void forget(const char* name) const { _functions.cache_remove(_functions.context, name); }
    bool isInstalled(const std::string& serviceId, const std::string& appId) const;
    void log(pm_log_level level, const char* message) const;

private:
    pm_shell _functions;
};

} // namespace portico::mobile
