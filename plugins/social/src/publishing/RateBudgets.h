#pragma once

#include "common/Ids.h"
#include "networks/Network.h"

#include "portico/Clock.h"
#include "portico/StateStore.h"

#include <cstdint>
#include <optional>

namespace portico::social
{

/// Remaining posts of an account at its network, shared by all hosts. Stored in the StateStore: with state in memory a restart
/// resets it. Thread-safe.
class RateBudgets
{
public:
    RateBudgets(StateStore& state, const Clock& clock) : _state(state), _clock(clock) {}

    /// Returns when the account may publish again; empty: now. Does not count.
    std::optional<Instant> freeFrom(const Network& network, const IntegrationId& account) const;
    /// Subtracts posts from the budgets of their network.
    void take(const Network& network, const IntegrationId& account, std::int64_t posts) const;
    /// The network asked to leave the account alone until then.
    void pause(const IntegrationId& account, Instant until) const;

private:
    StateStore& _state;
    const Clock& _clock;
};

} // namespace portico::social
