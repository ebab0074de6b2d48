#include "portico/Id.h"

#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <mutex>
#include <stdexcept>

namespace portico
{

namespace
{
constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

__extension__ using Number = unsigned __int128;

std::uint64_t randomNumber()
{
    std::array<unsigned char, sizeof(std::uint64_t)> bytes;
    if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1)
        throw std::runtime_error("The system's random source does not respond");
    return std::bit_cast<std::uint64_t>(bytes);
}

/// Random part after the time in the ids of this process. Within a millisecond it grows by steps too large to guess.
class Tails
{
public:
    constexpr Tails() = default;
    Number next(std::uint64_t millis)
    {
        const auto random = randomNumber();
        const std::lock_guard lock(_mutex);
        // Threads that read the clock one after the other come here in any order: the last few milliseconds are remembered.
        Last& last = _last[millis % _last.size()];
        if (last.used && last.millis == millis)
            last.tail += (random & ((std::uint64_t{1} << 48) - 1)) + 1;
        else
            // The first of the 80 bits is left for growing.
            last = {.used = true, .millis = millis, .tail = (Number{randomNumber() >> 49} << 64) | random};
        return last.tail;
    }

private:
    struct Last
    {
        bool used = false;
        std::uint64_t millis = 0;
        Number tail = 0;
    };
    std::mutex _mutex;
    std::array<Last, 16> _last;
};

/// The one thing that a process remembers: no caller could hand it through.
constinit Tails tails;
} // namespace

std::string makeUlid(Instant now)
{
    const auto millis = static_cast<std::uint64_t>(toMillis(now)) & ((std::uint64_t{1} << 48) - 1);
    Number number = (Number{millis} << 80) | tails.next(millis);
    // 128 bits in 26 characters of 5: the first carries 3 bits.
    std::string text(26, '0');
    for (auto place = text.rbegin(); place != text.rend(); ++place, number >>= 5) *place = alphabet[static_cast<std::size_t>(number & 31)];
    return text;
}

bool isUlid(std::string_view text) noexcept
{
    // A table, because every id of every row that is read comes by.
    constexpr auto isInAlphabet = []
    {
        std::array<bool, 256> is{};
        for (const char c : alphabet) is[static_cast<unsigned char>(c)] = true;
        return is;
    }();
    if (text.size() != 26 || text.front() > '7') return false;
    return std::ranges::all_of(text, [&](char c) { return isInAlphabet[static_cast<unsigned char>(c)]; });
}

} // namespace portico
