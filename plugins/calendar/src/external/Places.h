#pragma once

#include <atomic>

namespace portico::calendar
{

/// Limits the number of threads that do the same thing concurrently, so that enough remain for others. Thread-safe; must outlive its
/// places.
class Places
{
public:
    explicit Places(int count) : _count(count) {}

    /// Occupies a place for its lifetime; false if none was free.
    class Place
    {
    public:
        explicit Place(Places& places) : _places(places), _taken(places._used.fetch_add(1) < places._count) {}
        ~Place() { _places._used.fetch_sub(1); }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        explicit operator bool() const noexcept { return _taken; }

    private:
        Places& _places;
        const bool _taken;
    };

    Place take() { return Place(*this); }

private:
    const int _count;
    std::atomic<int> _used{0};
};

} // namespace portico::calendar
