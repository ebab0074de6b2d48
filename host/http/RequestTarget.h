#pragma once

#include "host/http/RequestHead.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// Splits a request target (RFC 9112, 3.2) into `head.path`, `head.query` and, of the absolute form, `head.authority`.
/// Refused: characters outside RFC 3986 in a path, broken percent-encoding or an encoded NUL there, fragments, user information,
/// and the segments `.` and `..` in any encoding: a path with them names two things, depending on who reads it.
std::optional<Fault> parseTarget(std::string_view target, std::string_view method, RequestHead& head);

/// True for a host name, an IPv4 address or a bracketed IPv6 address, with an optional port.
bool isAuthority(std::string_view text) noexcept;

/// Writes the authority in lower case, without a port that is the scheme's default.
void normalizeAuthority(std::string_view authority, bool secure, std::string& out);

} // namespace portico::host::http
