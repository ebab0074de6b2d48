#pragma once

#include "host/base/Text.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace portico::host::http
{

/// Classes of octets in HTTP/1.1, as bits.
namespace octet
{
constexpr std::uint8_t token = 1;      ///< RFC 9110, 5.6.2
constexpr std::uint8_t fieldValue = 2; ///< RFC 9110, 5.5: visible, space, tab, obs-text
constexpr std::uint8_t path = 4;       ///< RFC 3986, pchar and `/`, with `%`
constexpr std::uint8_t query = 8;      ///< the same with `?` and what browsers leave unencoded there
constexpr std::uint8_t host = 16;      ///< letters, digits, `-._~`
constexpr std::uint8_t hexadecimal = 32;
constexpr std::uint8_t token68 = 64; ///< RFC 9110, 11.2, without its padding
} // namespace octet

namespace detail
{
consteval std::array<std::uint8_t, 256> octetClasses()
{
    constexpr std::string_view digits = "0123456789";
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::array<std::uint8_t, 256> classes{};
    const auto mark = [&classes](std::string_view characters, std::uint8_t bits)
    {
        for (const char c : characters) classes[static_cast<std::uint8_t>(c)] |= bits;
    };
    mark(digits, octet::token | octet::path | octet::query | octet::host | octet::token68);
    mark(letters, octet::token | octet::path | octet::query | octet::host | octet::token68);
    mark("!#$%&'*+-.^_`|~", octet::token);
    mark("-._~!$&'()*+,;=:@/%", octet::path | octet::query);
    mark("?[]|^`{}\"<>\\", octet::query);
    mark("-._~", octet::host);
    mark("0123456789abcdefABCDEF", octet::hexadecimal);
    mark("-._~+/", octet::token68);
    for (unsigned i = 0x20; i < 256; ++i)
        if (i != 0x7f) classes[i] |= octet::fieldValue;
    classes['\t'] |= octet::fieldValue;
    return classes;
}
inline constexpr auto classOf = octetClasses();
} // namespace detail

constexpr bool is(char c, std::uint8_t bits) noexcept { return (detail::classOf[static_cast<std::uint8_t>(c)] & bits) != 0; }

constexpr bool all(std::string_view text, std::uint8_t bits) noexcept
{
    // To the end without a branch: what does not fit is rare, and tokens are long.
    bool fits = true;
    for (const char c : text) fits = static_cast<bool>(static_cast<unsigned>(fits) & static_cast<unsigned>(is(c, bits)));
    return fits;
}

constexpr int hexDigit(char c) noexcept
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

constexpr char lowerCase(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

/// Takes the next element off a comma-separated list; empty elements are skipped by the caller.
constexpr std::string_view takeElement(std::string_view& list, char separator = ',') noexcept
{
    const auto end = list.find(separator);
    const auto element = list.substr(0, end);
    list = end == std::string_view::npos ? std::string_view{} : list.substr(end + 1);
    return trimmed(element);
}

} // namespace portico::host::http
