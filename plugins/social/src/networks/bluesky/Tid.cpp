#include "networks/bluesky/Tid.h"

#include "portico/Crypto.h"

namespace portico::social
{

std::string makeTid(Instant time, int order)
{
    constexpr std::string_view alphabet = "234567abcdefghijklmnopqrstuvwxyz";
    const auto random = randomBytes(2);
    const auto clock =
        (static_cast<std::uint64_t>(static_cast<unsigned char>(random[0])) << 8 | static_cast<unsigned char>(random[1])) & 1023;
    auto value = (static_cast<std::uint64_t>(toMillis(time)) * 1000 + static_cast<std::uint64_t>(order)) << 10 | clock;
    std::string text(13, alphabet[0]);
    for (auto place = text.rbegin(); place != text.rend(); ++place, value >>= 5) *place = alphabet[value & 31];
    return text;
}

} // namespace portico::social
