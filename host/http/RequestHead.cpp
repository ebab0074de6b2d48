#include "host/http/RequestHead.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <cstring>

namespace portico::host::http
{

namespace
{

bool hasSoundEncoding(std::string_view path) noexcept
{
    for (auto at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 3))
    {
        if (at + 2 >= path.size()) return false;
        const int high = hexDigit(path[at + 1]);
        const int low = hexDigit(path[at + 2]);
        if (high < 0 || low < 0 || high * 16 + low == 0) return false;
    }
    return true;
}

/// `.`, `..` and their encoded forms (`%2e`).
bool isDotSegment(std::string_view segment) noexcept
{
    int dots = 0;
    while (!segment.empty())
    {
        const bool encoded = segment.size() >= 3 && segment[0] == '%' && segment[1] == '2' && lowerCase(segment[2]) == 'e';
        if (!encoded && segment[0] != '.') return false;
        segment.remove_prefix(encoded ? 3 : 1);
        if (++dots > 2) return false;
    }
    return dots > 0;
}

bool hasDotSegment(std::string_view path) noexcept
{
    // Nearly every path has neither, and need not be cut into segments.
    if (path.find("/.") == std::string_view::npos && path.find("/%2") == std::string_view::npos) return false;
    while (!path.empty())
    {
        path.remove_prefix(1);
        const auto slash = std::min(path.find('/'), path.size());
        if (isDotSegment(path.substr(0, slash))) return true;
        path.remove_prefix(slash);
    }
    return false;
}

std::optional<Fault> parseOriginForm(std::string_view target, RequestHead& head)
{
    const auto mark = target.find('?');
    head.path = target.substr(0, mark);
    head.query = mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
    if (!all(head.path, octet::path)) return Fault::malformed("The path holds a character that must be percent-encoded.");
    if (!all(head.query, octet::query)) return Fault::malformed("The query holds a character that must be percent-encoded.");
    if (!hasSoundEncoding(head.path)) return Fault::malformed("The path's percent-encoding is broken.");
    if (hasDotSegment(head.path)) return Fault::malformed("The path holds a dot segment.");
    return std::nullopt;
}

std::optional<Fault> parseAbsoluteForm(std::string_view target, RequestHead& head)
{
    const auto mark = target.find("://");
    if (mark == std::string_view::npos) return Fault::malformed("The target is neither a path nor a URI.");
    const auto scheme = target.substr(0, mark);
    if (!equalsIgnoreCase(scheme, "http") && !equalsIgnoreCase(scheme, "https"))
        return Fault::malformed("The target's scheme is not HTTP.");
    const auto rest = target.substr(mark + 3);
    const auto end = std::min(rest.find_first_of("/?"), rest.size());
    head.authority = rest.substr(0, end);
    if (!isAuthority(head.authority)) return Fault::malformed("The target's authority is not a host with an optional port.");
    if (end < rest.size() && rest[end] == '/') return parseOriginForm(rest.substr(end), head);
    if (end < rest.size()) return Fault::malformed("The target has no path.");
    head.path = "/";
    return std::nullopt;
}

bool isPort(std::string_view text) noexcept
{
    const auto port = parseNumber<unsigned>(text);
    return text.size() <= 5 && port && *port > 0 && *port <= 65535;
}

/// Length of the host at the start of an authority, 0 if there is none.
std::size_t hostLength(std::string_view text) noexcept
{
    if (!text.starts_with('['))
    {
        const auto colon = std::min(text.find(':'), text.size());
        return all(text.substr(0, colon), octet::host) ? colon : 0;
    }
    const auto end = text.find(']');
    if (end == std::string_view::npos || end < 3 || end > 46) return 0;
    const auto address = text.substr(1, end - 1);
    const auto fits = [](char c) { return is(c, octet::hexadecimal) || c == ':' || c == '.'; };
    return std::all_of(address.begin(), address.end(), fits) && address.find(':') != std::string_view::npos ? end + 1 : 0;
}

/// Splits a request target (RFC 9112, 3.2) into `head.path`, `head.query` and, in absolute form, `head.authority`.
/// Rejects characters outside RFC 3986 in a path, broken percent-encoding or an encoded NUL there, fragments and user information. Rejects
/// the segments `.` and `..` in any encoding, since readers interpret such a path differently.
std::optional<Fault> parseTarget(std::string_view target, std::string_view method, RequestHead& head)
{
    if (target.starts_with('/')) return parseOriginForm(target, head);
    if (target != "*") return parseAbsoluteForm(target, head);
    if (method != "OPTIONS") return Fault::malformed("The target * is for OPTIONS alone.");
    head.path = target;
    return std::nullopt;
}

} // namespace

HeadScanner::Result HeadScanner::scan(std::string_view received) noexcept
{
    while (true)
    {
        if (_lineStart == _leading && received.size() > _leading && !is(received[_leading], octet::token))
        {
            if (_leading > 0 || received[0] != '\r') return Result::Malformed;
        }
        const auto* from = received.data() + _searched;
        const auto* found = static_cast<const char*>(std::memchr(from, '\n', received.size() - _searched));
        if (found == nullptr)
        {
            _searched = received.size();
            return Result::Incomplete;
        }
        const auto lineFeed = static_cast<std::size_t>(found - received.data());
        if (lineFeed == _lineStart || received[lineFeed - 1] != '\r') return Result::Malformed;
        const bool emptyLine = lineFeed == _lineStart + 1;
        const bool beforeRequestLine = _lineStart == _leading;
        _lineStart = _searched = lineFeed + 1;
        if (!emptyLine) continue;
        if (!beforeRequestLine) return Result::Complete;
        _leading = _lineStart;
    }
}

std::optional<Fault> RequestHead::parse(std::string_view text, std::size_t targetBytes, std::size_t headerCount)
{
    if (text.starts_with("\r\n")) text.remove_prefix(2);
    Seen seen;
    auto end = text.find("\r\n");
    if (end == std::string_view::npos) return Fault::malformed("The request line does not end.");
    if (auto fault = parseRequestLine(text.substr(0, end), targetBytes, seen)) return fault;
    text.remove_prefix(end + 2);
    while (!text.starts_with("\r\n"))
    {
        end = text.find("\r\n");
        if (end == std::string_view::npos) return Fault::malformed("A header does not end.");
        if (headers.size() == headerCount) return Fault::headTooLarge("The request has too many headers.");
        if (auto fault = parseField(text.substr(0, end), seen)) return fault;
        text.remove_prefix(end + 2);
    }
    return settle(seen);
}

std::optional<Fault> RequestHead::parseRequestLine(std::string_view line, std::size_t targetBytes, Seen& seen)
{
    const auto first = line.find(' ');
    const auto last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return Fault::malformed("The request line must be method, target and version.");
    const auto methodText = line.substr(0, first);
    const auto target = line.substr(first + 1, last - first - 1);
    if (methodText.empty() || !all(methodText, octet::token)) return Fault::malformed("The method is not a token.");
    if (auto fault = parseVersion(line.substr(last + 1))) return fault;
    const auto known = parseMethod(methodText);
    seen.unknownMethod = !known;
    if (known) method = *known;
    if (target.size() > targetBytes) return Fault::targetTooLong();
    // CONNECT has another form of target. It is not served, so its target is not parsed.
    if (methodText == "CONNECT") return std::nullopt;
    return parseTarget(target, methodText, *this);
}

std::optional<Fault> RequestHead::parseVersion(std::string_view version)
{
    if (version == "HTTP/1.1") return std::nullopt;
    http10 = version == "HTTP/1.0";
    if (http10) return std::nullopt;
    const auto digit = [version](std::size_t i) { return version[i] >= '0' && version[i] <= '9'; };
    if (version.size() == 8 && version.starts_with("HTTP/") && digit(5) && version[6] == '.' && digit(7)) return Fault::version();
    return Fault::malformed("The version is not HTTP/1.1.");
}

std::optional<Fault> RequestHead::parseField(std::string_view line, Seen& seen)
{
    std::size_t colon = 0;
    while (colon < line.size() && is(line[colon], octet::token)) ++colon;
    // This also rejects folded lines and white space before the colon, which servers interpret differently.
    if (colon == 0 || colon == line.size() || line[colon] != ':') return Fault::malformed("A header's name is not a token.");
    const auto value = trimmed(line.substr(colon + 1));
    if (!all(value, octet::fieldValue)) return Fault::malformed("A header's value holds a control character.");
    headers.push_back({line.substr(0, colon), value});
    return note(headers.back(), seen);
}

std::optional<Fault> RequestHead::note(HeaderField& field, Seen& seen)
{
    const auto named = [&field](std::string_view name) { return equalsIgnoreCase(field.name, name); };
    switch (field.name.size())
    {
    case 4:
        if (!named("Host")) break;
        if (seen.hasHost) return Fault::malformed("Host is sent more than once.");
        seen.hasHost = true;
        seen.host = field.value;
        break;
    case 6:
        if (!named("Expect") || http10) break;
        if (!equalsIgnoreCase(field.value, "100-continue")) return Fault::expectation();
        expectsContinue = true;
        break;
    case 8:
        // An answer that was compressed bore the application's tag as a weak one (`ResponsePlan::weakTag`). It comes back as the
        // application knows it, or no If-Match of a browser would ever hold.
        if (named("If-Match") && field.value.starts_with("W/\"") && field.value.find(',') == std::string_view::npos)
            field.value.remove_prefix(2);
        break;
    case 10:
        if (!named("Connection")) break;
        for (auto list = field.value; !list.empty();)
        {
            const auto option = takeElement(list);
            seen.close = seen.close || equalsIgnoreCase(option, "close");
            seen.keepAlive = seen.keepAlive || equalsIgnoreCase(option, "keep-alive");
        }
        break;
    case 14:
        if (named("Content-Length")) return noteContentLength(field.value);
        break;
    case 17:
        if (named("Transfer-Encoding")) return noteTransferEncoding(field.value);
        break;
    default:
        break;
    }
    return std::nullopt;
}

std::optional<Fault> RequestHead::noteContentLength(std::string_view value)
{
    if (contentLength) return Fault::malformed("Content-Length is sent more than once.");
    contentLength = parseNumber<std::uint64_t>(value);
    return contentLength ? std::nullopt : std::optional(Fault::malformed("Content-Length is not a number of bytes."));
}

std::optional<Fault> RequestHead::noteTransferEncoding(std::string_view value)
{
    if (chunked) return Fault::malformed("Transfer-Encoding is sent more than once.");
    if (!equalsIgnoreCase(value, "chunked")) return Fault::malformed("Only the transfer coding chunked is understood.");
    chunked = true;
    return std::nullopt;
}

std::optional<Fault> RequestHead::settle(const Seen& seen)
{
    if (chunked && contentLength) return Fault::malformed("Content-Length and Transfer-Encoding are both sent.");
    if (chunked && http10) return Fault::malformed("HTTP/1.0 has no Transfer-Encoding.");
    if (!seen.hasHost && !http10) return Fault::malformed("Host is missing.");
    if (seen.hasHost && !isAuthority(seen.host)) return Fault::malformed("Host is not a host with an optional port.");
    if (seen.hasHost && !authority.empty() && !equalsIgnoreCase(authority, seen.host))
        return Fault::malformed("Host and the target's authority differ.");
    if (authority.empty()) authority = seen.host;
    keepAlive = !seen.close && (!http10 || seen.keepAlive);
    if (seen.unknownMethod) return Fault::method();
    return std::nullopt;
}

bool isAuthority(std::string_view text) noexcept
{
    const auto host = hostLength(text);
    if (host == 0 || host > 255) return false;
    return host == text.size() || (text[host] == ':' && isPort(text.substr(host + 1)));
}

void normalizeAuthority(std::string_view authority, bool secure, std::string& out)
{
    const std::string_view standardPort = secure ? ":443" : ":80";
    if (authority.ends_with(standardPort)) authority.remove_suffix(standardPort.size());
    // A final dot says that a name is whole (RFC 3986, 3.2.2): it is the same name.
    const auto colon = authority.ends_with(']') ? std::string_view::npos : authority.rfind(':');
    auto host = authority.substr(0, colon);
    const auto port = authority.substr(host.size());
    if (host.size() > 1 && host.ends_with('.') && !host.ends_with("..")) host.remove_suffix(1);
    out.assign(host).append(port);
    std::transform(out.begin(), out.end(), out.begin(), lowerCase);
}

} // namespace portico::host::http
