#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::mobile
{

/// Without padding (RFC 7515).
std::string base64Url(std::string_view bytes);
/// SHA-256, 32 bytes.
std::string sha256(std::string_view bytes);
/// Encodes everything but unreserved characters (RFC 3986).
std::string percentEncode(std::string_view text);
/// Empty: the text is not well formed.
std::optional<std::string> percentDecode(std::string_view text);

using Fields = std::vector<std::pair<std::string, std::string>>;
/// Writes fields as `application/x-www-form-urlencoded`.
std::string formOf(const Fields& fields);

/// A URL in its parts. Fragments are dropped.
struct Url
{
    std::string scheme;
    /// Scheme, host in lower case and port; of a scheme without an authority only `scheme:`.
    std::string origin;
    std::string host;
    std::string path;
    Fields query;

    /// Empty: malformed, with user information, control characters or spaces, or a field that occurs twice.
    static std::optional<Url> parse(std::string_view text);
    /// The value of a query field; empty if there is none.
    std::string field(std::string_view name) const;
    /// True for https, and for http on this machine.
    bool isSafe() const;
};

/// True for an origin without a path that a client may send secrets to.
bool isOrigin(std::string_view text);
/// True for a path on its own origin: one leading slash, no backslash or control character.
bool isPath(std::string_view text);
/// True for `[a-z0-9][a-z0-9_-]*`, 40 characters at most.
bool isServiceId(std::string_view text);
/// True for a code, token or state: 1 to `longest` characters of `A-Z a-z 0-9 - . _ ~`.
bool isToken(std::string_view text, std::size_t longest);

/// Overwrites a secret before its memory is freed.
void wipe(std::string& secret) noexcept;

} // namespace portico::mobile
