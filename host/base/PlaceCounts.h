#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace portico::host
{

/// How many of something each key has, up to a limit. Knows only keys that have some. Thread-safe.
template <class Key>
class PlaceCounts
{
    using Counts = std::map<Key, std::size_t, std::less<>>;

public:
    /// One that is counted, until this is destroyed. Ends before what counted it.
    class Place
    {
    public:
        Place() = default;
        Place(Place&& other) noexcept : _owner(std::exchange(other._owner, nullptr)), _count(other._count) {}
        Place& operator=(Place&& other) noexcept
        {
            std::swap(_owner, other._owner);
            std::swap(_count, other._count);
            return *this;
        }
        ~Place()
        {
            if (_owner != nullptr) _owner->leave(_count);
        }
        explicit operator bool() const noexcept { return _owner != nullptr; }

    private:
        friend class PlaceCounts;
        using Count = typename Counts::iterator;
        Place(PlaceCounts& owner, Count count) noexcept : _owner(&owner), _count(count) {}

        PlaceCounts* _owner = nullptr;
        Count _count{};
    };

    /// An empty place for a key that has `limit` already, which is more than 0.
    Place enter(Key key, std::size_t limit)
    {
        const std::lock_guard lock(_mutex);
        const auto count = _counts.try_emplace(std::move(key), 0).first;
        if (count->second >= limit) return {};
        ++count->second;
        return {*this, count};
    }

private:
    void leave(typename Counts::iterator count) noexcept
    {
        const std::lock_guard lock(_mutex);
        if (--count->second == 0) _counts.erase(count);
    }

    std::mutex _mutex;
    Counts _counts;
};

} // namespace portico::host
