#pragma once

#include <atomic>
#include <utility>

namespace portico::crm
{

/// How many exports run at the same time: each keeps a database session until its reader has all of it. Thread-safe; outlives its slots.
class ExportSlots
{
public:
    /// One export's right to run, given back at its end.
    class Slot
    {
    public:
        Slot(Slot&& other) noexcept : _slots(std::exchange(other._slots, nullptr)) {}
        Slot& operator=(Slot&&) = delete;
        ~Slot()
        {
            if (_slots) --_slots->_used;
        }

    private:
        friend class ExportSlots;
        explicit Slot(ExportSlots& slots) noexcept : _slots(&slots) {}
        ExportSlots* _slots;
    };

    /// @throws Problem 503 `overloaded` when enough exports are running.
    Slot take();

private:
    std::atomic<int> _used{0};
};

} // namespace portico::crm
