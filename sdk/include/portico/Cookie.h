#pragma once

#include "portico/Export.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico
{

class Request;

/// Controls whether a browser sends the cookie with requests caused by another site (RFC 6265bis, 5.2).
enum class SameSite : std::uint8_t
{
    Strict,
    Lax,
    None
};

/// A cookie to set (RFC 6265bis, 4.1). Host-only, HttpOnly and Secure by default. A value that is checked on construction: cookies that
/// browsers would silently drop cannot be sent.
class PORTICO_API SetCookie
{
public:
    struct Attributes
    {
        /// Zero removes the cookie; empty: a session cookie. Browsers keep a cookie for at most 400 days.
        std::optional<std::chrono::seconds> maxAge = {};
        SameSite sameSite = SameSite::Lax;
        bool secure = true;
        bool httpOnly = true;
        /// A separate cookie for each site that embeds the page (CHIPS).
        bool partitioned = false;
        std::string_view path = "/";
        /// Empty: only this host.
        std::string_view domain = {};
    };

    /// @throws std::invalid_argument for invalid characters in the name or value; for more than 4096 bytes of both;
    /// for `__Secure-` without Secure; `__Host-` without Secure, with another path than `/` or with a domain;
    /// SameSite=None or Partitioned without Secure.
    SetCookie(std::string_view name, std::string_view value, const Attributes& attributes);

    /// The value of `Set-Cookie`.
    const std::string& text() const noexcept { return _text; }

private:
    std::string _text;
};

/// All cookies of a request, name and value, in the order sent (RFC 6265bis, 4.2); entries without `=` are omitted.
/// `Request::cookie` finds one by its name.
PORTICO_API std::vector<std::pair<std::string_view, std::string_view>> cookiesOf(const Request& request);

} // namespace portico
