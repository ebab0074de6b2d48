#include "text/CodePoints.h"

#include <utf8proc.h>

namespace portico::social
{

CodePoint codePointAt(std::string_view text, std::size_t position) noexcept
{
    utf8proc_int32_t value = 0;
    const auto rest = text.substr(position);
    const auto size =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(rest.data()), static_cast<utf8proc_ssize_t>(rest.size()), &value);
    if (size <= 0 || value < 0) return {0xfffd, 1};
    return {value, static_cast<std::size_t>(size)};
}

CodePoint codePointBefore(std::string_view text, std::size_t position) noexcept
{
    auto start = position - 1;
    while (start > 0 && position - start < 4 && (static_cast<unsigned char>(text[start]) & 0xc0) == 0x80) --start;
    const auto found = codePointAt(text.substr(0, position), start);
    return start + found.size == position ? found : CodePoint{0xfffd, 1};
}

bool isLetter(std::int32_t codePoint) noexcept
{
    const auto category = utf8proc_category(codePoint);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isDigit(std::int32_t codePoint) noexcept
{
    const auto category = utf8proc_category(codePoint);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isCombining(std::int32_t codePoint) noexcept
{
    const auto category = utf8proc_category(codePoint);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isSpace(std::int32_t codePoint) noexcept
{
    const auto category = utf8proc_category(codePoint);
    return (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP) || category == UTF8PROC_CATEGORY_CC;
}

bool isPunctuation(std::int32_t codePoint) noexcept
{
    const auto category = utf8proc_category(codePoint);
    return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

} // namespace portico::social
