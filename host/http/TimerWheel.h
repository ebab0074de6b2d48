#pragma once

#include <array>
#include <cstdint>

namespace portico::host::http
{

/// Something with a deadline; a link of the wheel's lists.
class Timer
{
public:
    Timer() = default;
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;
    virtual ~Timer() { unlink(); }
    virtual void expired() noexcept = 0;

private:
    friend class TimerWheel;
    struct Link
    {
        Link* previous = this;
        Link* next = this;
        Timer* owner = nullptr;
    };
    void unlink() noexcept;

    Link _link;
    /// In milliseconds of the loop's clock; the wheel looks at it when `_slotTime` comes.
    std::uint64_t _deadline = 0;
    std::uint64_t _slotTime = 0;
};

/// Coarse deadlines, a quarter of a second. Moving a deadline later is one store, which is what nearly every request does. One thread.
class TimerWheel
{
public:
    static constexpr std::uint64_t tickMillis = 250;
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    /// @param deadline Milliseconds of the clock that `advance` is given; replaces the timer's former deadline.
    void set(Timer& timer, std::uint64_t deadline) noexcept;
    /// No deadline any more.
    void clear(Timer& timer) noexcept { timer._deadline = never; }
    /// Calls `expired` of every timer whose deadline has passed.
    void advance(std::uint64_t now) noexcept;

private:
    static constexpr std::size_t slots = 512;

    void link(Timer& timer) noexcept;
    void visit(std::uint64_t tick, std::uint64_t now) noexcept;

    std::array<Timer::Link, slots> _slots;
    std::uint64_t _tick = 0;
};

} // namespace portico::host::http
