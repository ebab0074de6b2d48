#include "host/platform/blobs/BlobHold.h"

#include "host/base/Digests.h"
#include "host/base/Random.h"

namespace portico::host::platform
{

namespace
{

constexpr std::size_t tokenBytes = 16;

BlobHold::Clock::rep endOf(std::chrono::milliseconds patience) { return (BlobHold::Clock::now() + patience).time_since_epoch().count(); }

} // namespace

std::string BlobHold::take(std::chrono::milliseconds patience)
{
    const std::lock_guard lock(_mutex);
    if (isHeld()) return {};
    _token = toHex(randomBytes(tokenBytes));
    _until.store(endOf(patience));
    return _token;
}

bool BlobHold::prolong(const std::string& token, std::chrono::milliseconds patience)
{
    const std::lock_guard lock(_mutex);
    if (!isHeld() || token != _token) return false;
    _until.store(endOf(patience));
    return true;
}

bool BlobHold::release(const std::string& token)
{
    const std::lock_guard lock(_mutex);
    if (!isHeld() || token != _token) return false;
    _until.store(0);
    return true;
}

} // namespace portico::host::platform
