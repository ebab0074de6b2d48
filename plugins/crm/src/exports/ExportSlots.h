#pragma once

#include "portico/Tenant.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace portico::crm
{

/// Limits concurrent exports: a few per organization until their clients have received them, and overall the number that may hold a session
/// while files are made.
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
