#pragma once

#include "portico/Tenant.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace portico::crm
{

/// How many exports run at the same time: a few of each organization until their readers have all of them, and of all together as many as
/// may keep a database session while their files are made. Thread-safe; outlives its slots.
class ExportSlots
{
public:
    /// One export's right to run, given back at its end.
    class Slot
    {
    public:
        Slot(Slot&& other) noexcept : _slots(std::exchange(other._slots, nullptr)), _owner(std::move(other._owner)) {}
        Slot& operator=(Slot&&) = delete;
        ~Slot()
        {
            if (_slots) _slots->giveBack(_owner);
        }

    private:
        friend class ExportSlots;
        Slot(ExportSlots& slots, std::string owner) : _slots(&slots), _owner(std::move(owner)) {}
        ExportSlots* _slots;
        std::string _owner;
    };

    /// A place of an organization. @throws Problem 503 `overloaded` when enough of its exports are running.
    Slot take(Tenant tenant);
    /// A session of those that exports may use. @throws Problem 503 `overloaded` when enough files are being made.
    Slot takeSession();

private:
    Slot take(const std::string& owner, int most, const char* refusal, int retrySeconds);
    void giveBack(const std::string& owner) noexcept;

    std::mutex _mutex;
    /// By organization; sessions without one.
    std::map<std::string, int> _used;
};

} // namespace portico::crm
