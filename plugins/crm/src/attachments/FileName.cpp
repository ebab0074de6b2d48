#include "attachments/FileName.h"

#include <utf8proc.h>

namespace portico::crm
{

namespace
{

bool isControl(utf8proc_int32_t c) noexcept { return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff; }

/// Marks, embeddings, overrides and isolates (Unicode Annex 9).
bool changesDirection(utf8proc_int32_t c) noexcept
{
    return c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string_view lastPart(std::string_view path) noexcept
{
    const auto separator = path.find_last_of("/\\");
    return separator == std::string_view::npos ? path : path.substr(separator + 1);
}

/// Removes surrounding white space. Returns an empty name for `.` and `..`, which are folders.
std::string trimmed(const std::string& name)
{
    const auto first = name.find_first_not_of(' ');
    if (first == std::string::npos || name.find_first_not_of(". ") == std::string::npos) return {};
    return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

} // namespace

std::optional<std::string> cleanFileName(std::string_view sent)
{
    std::string name;
    auto rest = sent;
    while (!rest.empty())
    {
        utf8proc_int32_t character = 0;
        const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()),
                                             static_cast<utf8proc_ssize_t>(rest.size()), &character);
        if (length <= 0) return std::nullopt;
        if (!isControl(character) && !changesDirection(character)) name += rest.substr(0, static_cast<std::size_t>(length));
        rest.remove_prefix(static_cast<std::size_t>(length));
    }
    return trimmed(std::string(lastPart(name)));
}

} // namespace portico::crm
