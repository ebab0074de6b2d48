#pragma once

#include "host/plugins/runtime/Generation.h"
#include "host/routing/pipeline/Authentication.h"
#include "host/routing/pipeline/RequestState.h"
#include "host/routing/pipeline/Settings.h"

#include "portico/detail/LiveBody.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace portico::host::routing
{

/// How many live answers each caller, address and web origin has open. Thread-safe.
class StreamCounts
{
    using Counts = std::map<std::string, std::int64_t, std::less<>>;

public:
    /// One that is counted, until this is destroyed. Ends before what counted it.
    class Place
    {
    public:
        Place() = default;
        Place(StreamCounts& owner, Counts::iterator count) noexcept : _owner(&owner), _count(count) {}
        Place(Place&& other) noexcept : _owner(std::exchange(other._owner, nullptr)), _count(other._count) {}
        Place& operator=(Place&&) = delete;
        ~Place()
        {
            if (_owner != nullptr) _owner->leave(_count);
        }

    private:
        StreamCounts* _owner = nullptr;
        Counts::iterator _count{};
    };

    /// @param limit 0: any number. @throws Problem 429 when there are as many already
    Place enter(std::string key, std::int64_t limit);

private:
    void leave(Counts::iterator count) noexcept;

    std::mutex _mutex;
    Counts _counts;
};

/// Watches over answers that outlive their request: they end with their generation, with the credential that they were asked for with, and
/// nobody has more of them than he may. Thread-safe.
class LiveStreams
{
public:
    LiveStreams(const Settings& settings, const Authentication& authentication) noexcept
        : _settings(settings), _authentication(authentication)
    {
    }

    /// @param body As the handler answered, who still holds the lease. @throws Problem 429
    std::unique_ptr<detail::LiveBody> guard(std::unique_ptr<detail::LiveBody> body, const Request& request, const RequestState& state);

private:
    const Settings& _settings;
    const Authentication& _authentication;
    StreamCounts _counts;
};

} // namespace portico::host::routing
