#include "host/http/RequestTarget.h"

#include "host/http/Characters.h"

#include <algorithm>
#include <charconv>

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
    unsigned port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return !text.empty() && text.size() <= 5 && error == std::errc{} && end == text.data() + text.size() && port > 0 && port <= 65535;
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

} // namespace

std::optional<Fault> parseTarget(std::string_view target, std::string_view method, RequestHead& head)
{
    if (target.starts_with('/')) return parseOriginForm(target, head);
    if (target != "*") return parseAbsoluteForm(target, head);
    if (method != "OPTIONS") return Fault::malformed("The target * is for OPTIONS alone.");
    head.path = target;
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
    out.resize(authority.size());
    std::transform(authority.begin(), authority.end(), out.begin(), lowerCase);
}

} // namespace portico::host::http
