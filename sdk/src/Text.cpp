#include "portico/Text.h"

#include "Utf8.h"

#include <algorithm>

namespace portico
{

std::string cleanText(std::string_view text, std::size_t characters)
{
    constexpr std::string_view replacement = "\xef\xbf\xbd";
    std::string clean;
    for (; !text.empty() && characters > 0; --characters)
    {
        const auto length = detail::utf8SequenceLength(text);
        const auto byte = static_cast<unsigned char>(text.front());
        const bool bad = length == 0 || byte < 0x20 || byte == 0x7f;
        clean += bad ? replacement : text.substr(0, length);
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return clean;
}

} // namespace portico
