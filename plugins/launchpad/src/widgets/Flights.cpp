#include "widgets/Flights.h"

namespace portico::launchpad
{

namespace
{
/// Time after which a fetch is considered lost, for example because the plugin was replaced before the result arrived.
constexpr std::chrono::seconds longestFlight{10};
} // namespace

struct Flights::Flight
{
    std::optional<FetchOutcome> outcome;
    TimePoint begun = std::chrono::steady_clock::now();
};

std::pair<std::shared_ptr<Flights::Flight>, bool> Flights::join(const std::string& key)
{
    const std::lock_guard lock(_mutex);
    auto& flight = _flights[key];
    if (flight && std::chrono::steady_clock::now() - flight->begun < longestFlight) return {flight, false};
    flight = std::make_shared<Flight>();
    return {flight, true};
}

void Flights::land(const std::string& key, const std::shared_ptr<Flight>& flight, FetchOutcome outcome)
{
    const std::lock_guard lock(_mutex);
    flight->outcome = std::move(outcome);
    if (const auto found = _flights.find(key); found != _flights.end() && found->second == flight) _flights.erase(found);
    _landed.notify_all();
}

std::optional<FetchOutcome> Flights::wait(const std::shared_ptr<Flight>& flight, TimePoint until)
{
    std::unique_lock lock(_mutex);
    _landed.wait_until(lock, until, [&] { return flight->outcome.has_value(); });
    return flight->outcome;
}

} // namespace portico::launchpad
