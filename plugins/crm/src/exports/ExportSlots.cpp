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
    // Lower than the number of SQLite's read sessions, so that requests always find one. A slot is held only while the file is made, not
    // while it is sent.
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
