#pragma once

#include "host/base/IpAddress.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

namespace portico::host::http
{

/// How many connections each address has, an IPv6 one together with its /64 network. Thread-safe; knows only who is connected.
class AddressCounts
{
    using Counts = std::map<IpAddress, std::size_t>;

public:
    /// One counted connection, until it is destroyed. Ends before what counted it.
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
        friend class AddressCounts;
        Place(AddressCounts& owner, Counts::iterator count) noexcept : _owner(&owner), _count(count) {}

        AddressCounts* _owner = nullptr;
        Counts::iterator _count;
    };

    /// @param limit Connections that one address may have.
    explicit AddressCounts(std::size_t limit) noexcept : _limit(limit) {}
    /// An empty place for an address that has as many as it may.
    Place enter(const IpAddress& address);

private:
    void leave(Counts::iterator count) noexcept;

    const std::size_t _limit;
    std::mutex _mutex;
    Counts _counts;
};

} // namespace portico::host::http
