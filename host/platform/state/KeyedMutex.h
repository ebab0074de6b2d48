#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// Admits one thread at a time for each key. Thread-safe; not reentrant.
class KeyedMutex
{
public:
    /// Runs `work` while no other thread runs one for this key. Returns false, without running it, if the key stays locked longer than
    /// `patience`.
    bool runAlone(std::string_view key, std::chrono::milliseconds patience, const std::function<void()>& work)
    {
        if (!enter(key, patience)) return false;
        struct Leave
        {
            KeyedMutex& mutex;
            std::string_view key;
            ~Leave() { mutex.leave(key); }
        } const leaveAtEnd{*this, key};
        work();
        return true;
    }

private:
    /// True obliges to `leave`.
    bool enter(std::string_view key, std::chrono::milliseconds patience)
    {
        std::unique_lock lock(_mutex);
        auto found = _gates.find(key);
        if (found == _gates.end()) found = _gates.emplace(std::string(key), std::make_unique<Gate>()).first;
        auto& gate = *found->second;
        ++gate.users;
        if (gate.freed.wait_for(lock, patience, [&] { return !gate.busy; })) return gate.busy = true;
        if (--gate.users == 0) _gates.erase(_gates.find(key));
        return false;
    }

    void leave(std::string_view key) noexcept
    {
        const std::lock_guard lock(_mutex);
        const auto found = _gates.find(key);
        auto& gate = *found->second;
        gate.busy = false;
        if (--gate.users == 0)
            _gates.erase(found);
        else
            gate.freed.notify_one();
    }

    struct Gate
    {
        bool busy = false;
        std::size_t users = 0;
        std::condition_variable freed;
    };
    std::mutex _mutex;
    std::map<std::string, std::unique_ptr<Gate>, std::less<>> _gates;
};

} // namespace portico::host::platform
