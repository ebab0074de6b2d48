#include "host/http/AddressCounts.h"

namespace portico::host::http
{

AddressCounts::Place AddressCounts::enter(const IpAddress& address)
{
    const std::lock_guard lock(_mutex);
    const auto count = _counts.try_emplace(address.network(), 0).first;
    if (count->second >= _limit) return {};
    ++count->second;
    return {*this, count};
}

void AddressCounts::leave(Counts::iterator count) noexcept
{
    const std::lock_guard lock(_mutex);
    if (--count->second == 0) _counts.erase(count);
}

} // namespace portico::host::http
