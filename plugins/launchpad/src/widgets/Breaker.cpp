#include "widgets/Breaker.h"

namespace portico::launchpad
{

namespace
{
constexpr std::size_t failuresToOpen = 5;
constexpr std::chrono::seconds window{60}, openTime{30}, trialTime{5};
} // namespace

bool Breaker::allows(std::string_view service, TimePoint now)
{
    const std::lock_guard lock(_mutex);
    const auto found = _circuits.find(service);
    if (found == _circuits.end() || found->second.openUntil == TimePoint{}) return true;
    auto& circuit = found->second;
    if (now < circuit.openUntil || now < circuit.triedUntil) return false;
    circuit.triedUntil = now + trialTime;
    return true;
}

void Breaker::succeeded(std::string_view service)
{
    const std::lock_guard lock(_mutex);
    if (const auto found = _circuits.find(service); found != _circuits.end()) _circuits.erase(found);
}

void Breaker::failed(std::string_view service, TimePoint now)
{
    const std::lock_guard lock(_mutex);
    auto& circuit = _circuits.try_emplace(std::string(service)).first->second;
    auto& failures = circuit.failures;
    failures.push_back(now);
    while (!failures.empty() && now - failures.front() > window) failures.pop_front();
    const bool tried = circuit.openUntil != TimePoint{} && now >= circuit.openUntil;
    if (!tried && failures.size() < failuresToOpen) return;
    circuit.openUntil = now + openTime;
    circuit.triedUntil = {};
    failures.clear();
}

bool Breaker::isOpen(std::string_view service, TimePoint now) const
{
    const std::lock_guard lock(_mutex);
    const auto found = _circuits.find(service);
    return found != _circuits.end() && now < found->second.openUntil;
}

} // namespace portico::launchpad
