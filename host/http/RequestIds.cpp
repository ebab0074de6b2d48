#include "host/http/RequestIds.h"

#include "host/base/Random.h"
#include "host/http/Characters.h"

#include <algorithm>

namespace portico::host::http
{

namespace
{

/// Crockford's base 32, most significant digit first.
void writeDigits(char* out, int digits, std::uint64_t value) noexcept
{
    constexpr char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
    for (int i = digits - 1; i >= 0; --i, value >>= 5) out[i] = alphabet[value & 31];
}

} // namespace

RequestIds::RequestIds() : _state(randomNumber()), _stream(randomNumber() | 1) {}

/// SplitMix64 with a stream of its own for each generator, so that two loops do not walk the same numbers.
std::uint64_t RequestIds::random() noexcept
{
    _state += _stream;
    std::uint64_t value = _state;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

void RequestIds::make(std::uint64_t millis, std::string& out) noexcept
{
    out.resize(26);
    writeDigits(out.data(), 10, millis);
    writeDigits(out.data() + 10, 8, random());
    writeDigits(out.data() + 18, 8, random());
}

bool isRequestId(std::string_view text) noexcept
{
    const auto fits = [](char c) { return is(c, octet::host) && c != '~'; };
    return !text.empty() && text.size() <= 128 && std::all_of(text.begin(), text.end(), fits);
}

} // namespace portico::host::http
