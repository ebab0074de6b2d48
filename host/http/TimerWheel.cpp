#include "host/http/TimerWheel.h"

#include <algorithm>

namespace portico::host::http
{

void Timer::unlink() noexcept
{
    _link.previous->next = _link.next;
    _link.next->previous = _link.previous;
    _link.previous = _link.next = &_link;
    _slotTime = 0;
}

void TimerWheel::set(Timer& timer, std::uint64_t deadline) noexcept
{
    timer._deadline = deadline;
    // The wheel visits the timer before its deadline and relinks it then.
    if (timer._slotTime != 0 && timer._slotTime <= deadline) return;
    timer.unlink();
    link(timer);
}

void TimerWheel::link(Timer& timer) noexcept
{
    const auto last = _tick + slots - 1;
    const auto tick = std::clamp(timer._deadline / tickMillis + 1, _tick + 1, last);
    timer._slotTime = tick * tickMillis;
    timer._link.owner = &timer;
    auto& head = _slots[tick % slots];
    timer._link.previous = head.previous;
    timer._link.next = &head;
    head.previous->next = &timer._link;
    head.previous = &timer._link;
}

void TimerWheel::advance(std::uint64_t now) noexcept
{
    const auto current = now / tickMillis;
    // After a long sleep one turn visits every slot.
    if (current > _tick + slots) _tick = current - slots;
    while (_tick < current) visit(++_tick, now);
}

void TimerWheel::visit(std::uint64_t tick, std::uint64_t now) noexcept
{
    auto& head = _slots[tick % slots];
    // Timers that `expired` relinks land in a later slot, so the loop ends.
    while (head.next != &head)
    {
        Timer& timer = *head.next->owner;
        timer.unlink();
        if (timer._deadline == never) continue;
        if (timer._deadline > now)
            link(timer);
        else
            timer.expired();
    }
}

} // namespace portico::host::http
