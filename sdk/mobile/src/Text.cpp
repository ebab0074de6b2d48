#include "Text.h"

#include <sodium.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace portico::mobile
{

namespace
{

constexpr std::size_t longestUrl = 8192;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isUnreserved(char c) { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

std::string lower(std::string_view text)
{
    std::string result(text);
    for (auto& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

int hexValue(char c)
{
    if (isDigit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool isScheme(std::string_view text)
{
    return !text.empty() && isLetter(text.front()) &&
           std::ranges::all_of(text, [](char c) { return isLetter(c) || isDigit(c) || c == '+' || c == '-' || c == '.'; });
}

bool isPort(std::string_view text)
{
    std::uint32_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    return error == std::errc() && end == text.data() + text.size() && port > 0 && port < 65536;
}

/// Reads host and port. Empty: they are malformed.
std::optional<std::string> hostOf(std::string_view authority)
{
    const auto end = authority.starts_with('[') ? authority.find(']') + 1 : authority.find(':');
    const auto host = authority.substr(0, end);
    const auto rest = end == std::string_view::npos ? std::string_view() : authority.substr(end);
    if (host.empty() || (!rest.empty() && (rest.front() != ':' || !isPort(rest.substr(1))))) return std::nullopt;
    const bool fits = std::ranges::all_of(
        host, [&](char c)
        { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || (host[0] == '[' && (c == '[' || c == ']' || c == ':')); });
    return fits ? std::optional(lower(host)) : std::nullopt;
}

std::optional<Fields> readQuery(std::string_view text)
{
    Fields fields;
    while (!text.empty())
    {
        const auto end = text.find('&');
        const auto pair = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (pair.empty()) continue;
        const auto sign = pair.find('=');
        auto name = percentDecode(pair.substr(0, sign));
        auto value = percentDecode(sign == std::string_view::npos ? std::string_view() : pair.substr(sign + 1));
        if (!name || !value || std::ranges::any_of(fields, [&](const auto& field) { return field.first == *name; })) return std::nullopt;
        fields.emplace_back(*std::move(name), *std::move(value));
    }
    return fields;
}

} // namespace

std::string base64Url(std::string_view bytes)
{
    constexpr int variant = sodium_base64_VARIANT_URLSAFE_NO_PADDING;
    std::string text(sodium_base64_ENCODED_LEN(bytes.size(), variant), '\0');
    sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), variant);
    // Without the terminating zero.
    text.pop_back();
    return text;
}

std::string sha256(std::string_view bytes)
{
    std::string hash(crypto_hash_sha256_BYTES, '\0');
    crypto_hash_sha256(reinterpret_cast<unsigned char*>(hash.data()), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
    return hash;
}

std::string percentEncode(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string result;
    for (const char c : text)
    {
        const auto byte = static_cast<unsigned char>(c);
        if (isUnreserved(c))
            result += c;
        else
            (result += '%') += {digits[byte >> 4], digits[byte & 15]};
    }
    return result;
}

std::optional<std::string> percentDecode(std::string_view text)
{
    std::string result;
    for (std::size_t at = 0; at < text.size(); ++at)
    {
        if (text[at] != '%')
        {
            result += text[at] == '+' ? ' ' : text[at];
            continue;
        }
        if (at + 2 >= text.size()) return std::nullopt;
        const auto high = hexValue(text[at + 1]);
        const auto low = hexValue(text[at + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        result += static_cast<char>(high * 16 + low);
        at += 2;
    }
    return result;
}

std::string formOf(const Fields& fields)
{
    std::string text;
    for (const auto& [name, value] : fields)
    {
        if (!text.empty()) text += '&';
        text.append(percentEncode(name)).append(1, '=').append(percentEncode(value));
    }
    return text;
}

std::optional<Url> Url::parse(std::string_view text)
{
    if (text.size() > longestUrl || std::ranges::any_of(text, [](char c) { return c <= ' ' || c == 127 || c == '\\'; }))
        return std::nullopt;
    text = text.substr(0, text.find('#'));
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || !isScheme(text.substr(0, colon))) return std::nullopt;
    Url url;
    url.scheme = lower(text.substr(0, colon));
    url.origin = url.scheme + ':';
    text.remove_prefix(colon + 1);
    if (text.starts_with("//"))
    {
        text.remove_prefix(2);
        const auto end = std::min(text.find_first_of("/?"), text.size());
        const auto authority = text.substr(0, end);
        text.remove_prefix(end);
        auto host = hostOf(authority);
        if (!host) return std::nullopt;
        url.host = *std::move(host);
        url.origin += "//" + lower(authority);
    }
    const auto mark = std::min(text.find('?'), text.size());
    url.path = text.substr(0, mark);
    auto query = readQuery(text.substr(std::min(mark + 1, text.size())));
    if (!query) return std::nullopt;
    url.query = *std::move(query);
    return url;
}

std::string Url::field(std::string_view name) const
{
    const auto found = std::ranges::find_if(query, [&](const auto& entry) { return entry.first == name; });
    return found == query.end() ? std::string() : found->second;
}

bool Url::isSafe() const
{
    if (scheme == "https") return !host.empty();
    return scheme == "http" && (host == "localhost" || host.ends_with(".localhost") || host == "127.0.0.1" || host == "[::1]");
}

bool isOrigin(std::string_view text)
{
    const auto url = Url::parse(text);
    return url && url->isSafe() && url->origin == text;
}

bool isPath(std::string_view text)
{
    return text.starts_with('/') && !text.starts_with("//") && text.size() <= 1000 &&
           std::ranges::none_of(text, [](char c) { return (static_cast<unsigned char>(c) < ' ') || c == 127 || c == '\\'; });
}

bool isServiceId(std::string_view text)
{
    const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || isDigit(c); };
    return !text.empty() && text.size() <= 40 && fits(text.front()) &&
           std::ranges::all_of(text, [&](char c) { return fits(c) || c == '_' || c == '-'; });
}

bool isToken(std::string_view text, std::size_t longest)
{
    return !text.empty() && text.size() <= longest && std::ranges::all_of(text, isUnreserved);
}

void wipe(std::string& secret) noexcept
{
    sodium_memzero(secret.data(), secret.size());
    secret.clear();
}

} // namespace portico::mobile
