#include "portico/system/HostRequest.h"

#include "portico/Cookie.h"
#include "portico/Form.h"

#include "Utf8.h"

#include "portico/Problem.h"

#include <stdexcept>

namespace portico
{

namespace
{

/// Undoes the encoding of a form: `+` is a space, `%XX` a byte.
bool decode(std::string_view encoded, std::string& out)
{
    out.reserve(encoded.size());
    for (std::size_t i = 0; i < encoded.size(); ++i)
    {
        if (encoded[i] != '%')
        {
            out += encoded[i] == '+' ? ' ' : encoded[i];
            continue;
        }
        if (i + 2 >= encoded.size() || detail::hexDigit(encoded[i + 1]) < 0 || detail::hexDigit(encoded[i + 2]) < 0) return false;
        out += static_cast<char>(detail::hexDigit(encoded[i + 1]) * 16 + detail::hexDigit(encoded[i + 2]));
        i += 2;
    }
    return detail::isUtf8Text(out);
}

std::string decoded(std::string_view encoded, std::string_view field)
{
    std::string text;
    if (!decode(encoded, text)) throw Problem::invalid(field, "invalid_encoding", "Not percent-encoded UTF-8 text");
    return text;
}

std::string_view withoutBlanks(std::string_view text) noexcept
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// Cuts the part before `separator` off the front of `rest`.
std::string_view cut(std::string_view& rest, char separator) noexcept
{
    const auto end = rest.find(separator);
    const auto part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return part;
}

/// Calls `take` for each cookie. Pairs without `=` have no name and are skipped.
template <class Take>
void forEachCookie(std::span<const HeaderField> headers, Take take)
{
    for (const auto& field : headers)
    {
        if (!equalsIgnoreCase(field.name, "Cookie")) continue;
        for (std::string_view rest = field.value; !rest.empty();)
        {
            auto pair = cut(rest, ';');
            if (pair.find('=') == std::string_view::npos) continue;
            const auto name = withoutBlanks(cut(pair, '='));
            take(name, withoutBlanks(pair));
        }
    }
}

} // namespace

std::string_view Request::header(std::string_view name) const noexcept
{
    for (const auto& field : headers)
        if (equalsIgnoreCase(field.name, name)) return field.value;
    return {};
}

bool Request::hasHeader(std::string_view name) const noexcept
{
    for (const auto& field : headers)
        if (equalsIgnoreCase(field.name, name)) return true;
    return false;
}

std::string_view Request::cookie(std::string_view name) const noexcept
{
    std::optional<std::string_view> found;
    bool planted = false;
    forEachCookie(headers,
                  [&](std::string_view sent, std::string_view value)
                  {
                      if (sent != name) return;
                      // With two different values, one was planted, and the server cannot distinguish them.
                      planted = planted || (found && *found != value);
                      found = value;
                  });
    return planted ? std::string_view{} : found.value_or(std::string_view{});
}

std::vector<std::pair<std::string_view, std::string_view>> cookiesOf(const Request& request)
{
    std::vector<std::pair<std::string_view, std::string_view>> found;
    forEachCookie(request.headers, [&](std::string_view name, std::string_view value) { found.emplace_back(name, value); });
    return found;
}

void system::HostRequest::addPathParameter(std::string value)
{
    if (_pathParameterCount == maxPathParameters) throw std::length_error("a path has at most 6 parameters");
    _pathParameters[_pathParameterCount++] = std::move(value);
}

FormValues parseForm(std::string_view text)
{
    FormValues fields;
    while (!text.empty())
    {
        std::string_view value = cut(text, '&');
        if (value.empty()) continue;
        auto name = decoded(cut(value, '='), {});
        auto decodedValue = decoded(value, name);
        fields.emplace_back(std::move(name), std::move(decodedValue));
    }
    return fields;
}

const std::vector<std::pair<std::string, std::string>>& Request::queryParameters() const
{
    if (_queryParsed) return _queryParameters;
    _queryParameters = parseForm(query);
    _queryParsed = true;
    return _queryParameters;
}

std::optional<std::string_view> Request::queryParameter(std::string_view name) const
{
    std::optional<std::string_view> found;
    for (const auto& [key, value] : queryParameters())
    {
        if (key != name) continue;
        if (found) throw Problem::invalid(name, "duplicate", "Sent more than once");
        found = value;
    }
    return found;
}

void system::HostRequest::clear()
{
    method = Method::Get;
    path = query = body = originService = origin = clientAddress = requestId = _cursorKey = _route = {};
    headers = {};
    file = nullptr;
    secure = false;
    caller = &Caller::nobody();
    stop = {};
    for (std::size_t i = 0; i < _pathParameterCount; ++i) _pathParameters[i].clear();
    _pathParameterCount = 0;
    _queryParameters.clear();
    _queryParsed = false;
}

} // namespace portico
