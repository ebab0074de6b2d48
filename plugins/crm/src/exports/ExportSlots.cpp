#include "exports/ExportSlots.h"

#include "portico/Problem.h"

namespace portico::crm
{

ExportSlots::Slot ExportSlots::take(Tenant tenant)
{
    constexpr int most = 2, retrySeconds = 10;
    return take(std::string(tenant.text()), most, "Enough exports of the organization are running; try again when one of them is done.",
                retrySeconds);
}

ExportSlots::Slot ExportSlots::takeSession()
{
    // Fewer than the sessions that SQLite reads with, so that readers of pages always find one. None is kept for longer than a file takes
    // to be made, however slow its reader is.
    constexpr int most = 2, retrySeconds = 1;
    return take({}, most, "Other exports are just being made; try again in a moment.", retrySeconds);
}

ExportSlots::Slot ExportSlots::take(const std::string& owner, int most, const char* refusal, int retrySeconds)
{
    const std::lock_guard lock(_mutex);
    auto& used = _used[owner];
    if (used == most) throw Problem::unavailable("overloaded", refusal, retrySeconds);
    Slot slot(*this, owner);
    ++used;
    return slot;
}

void ExportSlots::giveBack(const std::string& owner) noexcept
{
    const std::lock_guard lock(_mutex);
    const auto found = _used.find(owner);
    if (--found->second == 0) _used.erase(found);
}

} // namespace portico::crm
