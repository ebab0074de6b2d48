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

/// A cookie to set (RFC 6265bis, 4.1): of one origin's own, for scripts out of reach and over TLS only, unless it says otherwise. A value,
/// checked when it is made: what browsers would drop without a word cannot be sent.
class PORTICO_API SetCookie
{
public:
    struct Attributes
    {
        /// Zero removes the cookie; none: it ends with the browser. Browsers keep none for longer than 400 days.
        std::optional<std::chrono::seconds> maxAge = {};
        SameSite sameSite = SameSite::Lax;
        bool secure = true;
        bool httpOnly = true;
        /// Another jar for each site that it is embedded in (CHIPS).
        bool partitioned = false;
        std::string_view path = "/";
        /// Empty: this host alone.
        std::string_view domain = {};
    };

    /// @throws std::invalid_argument, which says what is wrong: a name or a value with other characters than the grammar's; more than 4096
    /// bytes of both; `__Secure-` without Secure; `__Host-` without Secure, with another path than `/` or with a domain;
    /// SameSite=None or Partitioned without Secure.
    SetCookie(std::string_view name, std::string_view value, const Attributes& attributes);

    /// The value of `Set-Cookie`.
    const std::string& text() const noexcept { return _text; }

private:
    std::string _text;
};

/// All cookies of a request, name and value, in the order sent (RFC 6265bis, 4.2); what has no `=` has no name and is left out.
/// `Request::cookie` finds one by its name.
PORTICO_API std::vector<std::pair<std::string_view, std::string_view>> cookiesOf(const Request& request);

} // namespace portico
