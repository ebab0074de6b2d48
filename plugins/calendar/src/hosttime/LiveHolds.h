#pragma once

#include "records/Hold.h"
#include "slots/Taken.h"

#include "portico/StateStore.h"

#include <chrono>
#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace portico::calendar
{

/// Live holds of hosts, and a queue for each host: calls for one host run one at a time, those for different hosts concurrently. Holds
/// survive a reload of the plugin, but not a restart if the StateStore is in memory. Thread-safe.
class LiveHolds
{
public:
    explicit LiveHolds(StateStore& state) : _state(state) {}

    /// Runs what changes a host's time, when all that came before for this host is done. Nothing in it waits on the network.
    /// @throws Problem 503 `overloaded` after ten seconds
    template <std::invocable F>
    auto inQueue(const HostId& host, F&& work) const -> std::invoke_result_t<F>
    {
        if constexpr (std::is_void_v<std::invoke_result_t<F>>)
            queue(host, std::forward<F>(work));
        else
        {
            std::optional<std::invoke_result_t<F>> result;
            queue(host, [&] { result.emplace(work()); });
            return *std::move(result);
        }
    }

    /// Returns the holds that are live at `now`.
    std::vector<Hold> of(const HostId& host, Instant now) const;
    /// These and no others from now on. Called in the host's queue.
    void keep(const HostId& host, const std::vector<Hold>& holds, Instant now) const;

private:
    void queue(const HostId& host, const std::function<void()>& work) const;

    StateStore& _state;
};

/// The hold as the slot engine reads it for a guest who asks for an event type.
TakenByHold takenBy(const Hold& hold, const EventTypeId& asked);

} // namespace portico::calendar
