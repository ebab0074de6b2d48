#include "host/routing/RequestIds.h"

#include "portico/Instant.h"

#include <algorithm>
#include <random>

namespace portico::host::routing
{

namespace
{

bool isFitForLog(std::string_view id) noexcept
{
    const auto fits = [](char c)
    { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.'; };
    return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), fits);
}

/// The finalizer of SplitMix64: one-to-one, so that different counts give different ids.
std::uint64_t mix(std::uint64_t value) noexcept
{
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

/// Writes the low bits of a value as digits of Crockford's base 32, the last digit first.
void writeDigits(char* end, std::uint64_t value, int digits) noexcept
{
    constexpr char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    for (int i = 0; i < digits; ++i, value >>= 5) *--end = alphabet[value & 31];
}

} // namespace

RequestIds::RequestIds(const Clock& clock) : _clock(clock)
{
    std::random_device random;
    _seed = (static_cast<std::uint64_t>(random()) << 32) | random();
    _instance = static_cast<std::uint16_t>(random());
}

void RequestIds::assign(std::string_view sent, std::string& out) const
{
    if (isFitForLog(sent))
        out.assign(sent);
    else
        make(out);
}

void RequestIds::make(std::string& out) const
{
    const auto millis = static_cast<std::uint64_t>(toMillis(_clock.now()));
    const std::uint64_t random = mix(_seed + _made.fetch_add(1, std::memory_order_relaxed));
    out.resize(26);
    char* text = out.data();
    writeDigits(text + 10, millis, 10);
    // 80 bits: 16 of this host, 64 of this request, cut at a multiple of five.
    writeDigits(text + 14, (static_cast<std::uint64_t>(_instance) << 4) | (random >> 60), 4);
    writeDigits(text + 26, random, 12);
}

} // namespace portico::host::routing
