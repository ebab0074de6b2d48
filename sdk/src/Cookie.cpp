#include "portico/Cookie.h"

#include "portico/Http.h"

#include <algorithm>
#include <stdexcept>

namespace portico
{

namespace
{

/// RFC 6265bis, 5.6.
constexpr std::size_t longestPair = 4096;
constexpr std::size_t longestAttribute = 1024;

bool isCookieNameCharacter(char c) noexcept
{
    return c > 0x20 && c < 0x7f && std::string_view("()<>@,;:\\\"/[]?={}").find(c) == std::string_view::npos;
}

bool isCookieOctet(char c) noexcept { return c > 0x20 && c < 0x7f && std::string_view("\",;\\").find(c) == std::string_view::npos; }

bool isAttributeCharacter(char c) noexcept { return c >= 0x20 && c < 0x7f && c != ';'; }

/// Browsers compare the prefixes so, and refuse what looks like one.
bool hasPrefix(std::string_view name, std::string_view prefix) noexcept
{
    return name.size() >= prefix.size() && equalsIgnoreCase(name.substr(0, prefix.size()), prefix);
}

void check(std::string_view name, std::string_view value, const SetCookie::Attributes& attributes)
{
    const auto fail = [&](const char* why) { throw std::invalid_argument("cookie \"" + std::string(name) + "\": " + why); };
    if (name.empty() || !std::ranges::all_of(name, isCookieNameCharacter)) fail("its name is not a token of RFC 9110");
    if (!std::ranges::all_of(value, isCookieOctet)) fail("its value holds a character that a cookie cannot have; encode it");
    if (name.size() + value.size() > longestPair) fail("name and value have at most 4096 bytes");
    for (const auto text : {attributes.path, attributes.domain})
        if (text.size() > longestAttribute || !std::ranges::all_of(text, isAttributeCharacter))
            fail("a path or domain that cannot be sent");
    if (!attributes.path.starts_with('/')) fail("its path begins with /");
    const bool hostOnly = hasPrefix(name, "__Host-");
    if ((hostOnly || hasPrefix(name, "__Secure-")) && !attributes.secure) fail("a name with this prefix asks for Secure");
    if (hostOnly && (attributes.path != "/" || !attributes.domain.empty())) fail("__Host- asks for the path / and no domain");
    if (attributes.sameSite == SameSite::None && !attributes.secure) fail("SameSite=None asks for Secure");
    if (attributes.partitioned && !attributes.secure) fail("Partitioned asks for Secure");
}

std::string_view textOf(SameSite sameSite) noexcept
{
    return sameSite == SameSite::Strict ? "Strict" : sameSite == SameSite::Lax ? "Lax" : "None";
}

} // namespace

SetCookie::SetCookie(std::string_view name, std::string_view value, const Attributes& attributes)
{
    check(name, value, attributes);
    _text.append(name).append("=").append(value).append("; Path=").append(attributes.path);
    if (!attributes.domain.empty()) _text.append("; Domain=").append(attributes.domain);
    if (attributes.httpOnly) _text += "; HttpOnly";
    _text.append("; SameSite=").append(textOf(attributes.sameSite));
    if (attributes.maxAge) _text += "; Max-Age=" + std::to_string(attributes.maxAge->count());
    if (attributes.secure) _text += "; Secure";
    if (attributes.partitioned) _text += "; Partitioned";
}

} // namespace portico
