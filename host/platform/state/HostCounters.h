#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// The numbers of `PluginContext::hostCounter`. Thread-safe.
class HostCounters
{
public:
    /// Valid as long as this.
    std::atomic<std::uint64_t>& operator[](std::string_view name)
    {
        const std::lock_guard lock(_mutex);
        const auto found = _numbers.find(name);
        return found == _numbers.end() ? _numbers.try_emplace(std::string(name), 0).first->second : found->second;
    }

private:
    std::mutex _mutex;
    std::map<std::string, std::atomic<std::uint64_t>, std::less<>> _numbers;
};

} // namespace portico::host::platform
