#include "vcard/VcardProperty.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

bool isNameCharacter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

std::string upper(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

/// Decodes the escapes of parameters (RFC 6868).
std::string decodeParameter(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char next = text[i] == '^' && i + 1 < text.size() ? text[i + 1] : '\0';
        if (next != 'n' && next != '^' && next != '\'')
        {
            out += text[i];
            continue;
        }
        out += next == 'n' ? '\n' : next == '^' ? '^' : '"';
        ++i;
    }
    return out;
}

/// Returns the position of the colon before the value, ignoring those in quotes.
std::size_t findColon(std::string_view line)
{
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i)
    {
        if (line[i] == '"') quoted = !quoted;
        if (line[i] == ':' && !quoted) return i;
    }
    // An odd quote in the parameters must not hide the value.
    return line.find(':');
}

std::vector<std::string_view> splitParameters(std::string_view text)
{
    std::vector<std::string_view> parts;
    bool quoted = false;
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        if (text[i] == '"') quoted = !quoted;
        if (text[i] != ';' || quoted) continue;
        parts.push_back(text.substr(from, i - from));
        from = i + 1;
    }
    parts.push_back(text.substr(from));
    return parts;
}

bool isEncoding(std::string_view name)
{
    return name == "QUOTED-PRINTABLE" || name == "BASE64" || name == "8BIT" || name == "7BIT" || name == "B";
}

std::pair<std::string, std::string> parseParameter(std::string_view text)
{
    const auto equals = text.find('=');
    if (equals == std::string_view::npos)
    {
        auto word = upper(trim(text));
        return {isEncoding(word) ? "ENCODING" : "TYPE", std::string(trim(text))};
    }
    auto value = trim(text.substr(equals + 1));
    // Removes quotes, which may enclose one of several values: work,"cell".
    std::string plain;
    for (const char c : value)
        if (c != '"') plain += c;
    return {upper(trim(text.substr(0, equals))), decodeParameter(plain)};
}

int hexDigit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

int base64Digit(char c)
{
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

} // namespace

std::optional<VcardProperty> VcardProperty::parse(std::string_view line)
{
    const auto colon = findColon(line);
    if (colon == std::string_view::npos) return std::nullopt;
    const auto head = splitParameters(line.substr(0, colon));
    auto name = trim(head.front());
    VcardProperty property;
    if (const auto dot = name.find('.'); dot != std::string_view::npos)
    {
        property.group = fold(name.substr(0, dot));
        name.remove_prefix(dot + 1);
    }
    if (name.empty() || !std::all_of(name.begin(), name.end(), isNameCharacter)) return std::nullopt;
    property.name = upper(name);
    for (std::size_t i = 1; i < head.size(); ++i)
        if (!trim(head[i]).empty()) property.parameters.push_back(parseParameter(head[i]));
    property.value = line.substr(colon + 1);
    return property;
}

std::string_view VcardProperty::parameter(std::string_view parameterName) const
{
    for (const auto& [key, text] : parameters)
        if (key == parameterName) return text;
    return {};
}

std::vector<std::string> VcardProperty::types() const
{
    std::vector<std::string> types;
    for (const auto& [key, text] : parameters)
    {
        if (key != "TYPE") continue;
        std::string_view rest = text;
        while (!rest.empty())
        {
            const auto comma = std::min(rest.find(','), rest.size());
            if (const auto type = trim(rest.substr(0, comma)); !type.empty()) types.push_back(fold(type));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return types;
}

bool VcardProperty::hasType(std::string_view type) const
{
    const auto all = types();
    return std::find(all.begin(), all.end(), type) != all.end();
}

bool VcardProperty::isQuotedPrintable() const { return upper(parameter("ENCODING")) == "QUOTED-PRINTABLE"; }

bool VcardProperty::isBase64() const
{
    const auto encoding = upper(parameter("ENCODING"));
    return encoding == "BASE64" || encoding == "B";
}

std::vector<std::string_view> splitVcard(std::string_view value, char separator)
{
    std::vector<std::string_view> parts;
    std::size_t from = 0;
    for (std::size_t i = 0; i < value.size(); ++i)
    {
        if (value[i] == '\\')
            ++i;
        else if (value[i] == separator)
        {
            parts.push_back(value.substr(from, i - from));
            from = i + 1;
        }
    }
    parts.push_back(value.substr(std::min(from, value.size())));
    return parts;
}

std::string unescapeVcard(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char next = text[i] == '\\' && i + 1 < text.size() ? text[i + 1] : '\0';
        if (next == 'n' || next == 'N')
            out += '\n';
        else if (next == ',' || next == ';' || next == '\\' || next == ':')
            out += next;
        else
        {
            out += text[i];
            continue;
        }
        ++i;
    }
    return out;
}

std::string decodeQuotedPrintable(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const int high = text[i] == '=' && i + 2 < text.size() ? hexDigit(text[i + 1]) : -1;
        const int low = high >= 0 ? hexDigit(text[i + 2]) : -1;
        if (low < 0)
        {
            out += text[i];
            continue;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::optional<std::string> decodeBase64(std::string_view text)
{
    std::string out;
    out.reserve(text.size() / 4 * 3);
    std::uint32_t bits = 0;
    int count = 0;
    bool padded = false;
    for (const char c : text)
    {
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') continue;
        if (c == '=')
        {
            padded = true;
            continue;
        }
        const int digit = base64Digit(c);
        if (digit < 0 || padded) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        out += static_cast<char>(bits >> count & 0xff);
    }
    if (count == 6) return std::nullopt;
    return out;
}

} // namespace portico::crm
