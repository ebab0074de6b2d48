#include "portico/Id.h"

#include <openssl/rand.h>

#include <array>
#include <stdexcept>

namespace portico
{

namespace
{
constexpr std::string_view alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
} // namespace

std::string makeUlid(Instant now)
{
    std::array<unsigned char, 16> bytes{};
    auto millis = static_cast<std::uint64_t>(toMillis(now));
    for (int i = 5; i >= 0; --i, millis >>= 8) bytes[static_cast<std::size_t>(i)] = static_cast<unsigned char>(millis & 0xff);
    if (RAND_bytes(bytes.data() + 6, 10) != 1) throw std::runtime_error("The system's random source does not answer");

    // 128 bits in 26 characters of 5: the first carries 3 bits.
    std::string text(26, '0');
    unsigned buffer = 0;
    int bits = 2;
    std::size_t at = 0;
    for (const unsigned char byte : bytes)
    {
        buffer = (buffer << 8 | byte) & 0xffff;
        bits += 8;
        while (bits >= 5)
        {
            bits -= 5;
            text[at++] = alphabet[buffer >> bits & 31];
        }
    }
    return text;
}

bool isUlid(std::string_view text) noexcept
{
    if (text.size() != 26 || text.front() > '7') return false;
    return text.find_first_not_of(alphabet) == std::string_view::npos;
}

} // namespace portico
