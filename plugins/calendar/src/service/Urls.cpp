#include "service/Urls.h"

#include <algorithm>

namespace portico::calendar
{

std::string percentEncoded(std::string_view text)
{
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string out;
    for (const char c : text)
    {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~").find(c) != std::string_view::npos;
        if (plain)
            out += c;
        else
        {
            const auto byte = static_cast<unsigned char>(c);
            out += {'%', digits[byte >> 4U], digits[byte & 15U]};
        }
    }
    return out;
}

std::string_view fieldOf(const Fields& fields, std::string_view name)
{
    const auto found = std::ranges::find(fields, name, &Fields::value_type::first);
    return found == fields.end() ? std::string_view() : std::string_view(found->second);
}

std::string toQuery(const Fields& fields)
{
    std::string query;
    for (const auto& [name, value] : fields) query += (query.empty() ? "" : "&") + percentEncoded(name) + '=' + percentEncoded(value);
    return query;
}

std::string withQuery(std::string_view path, const Fields& fields)
{
    if (fields.empty()) return std::string(path);
    return std::string(path) + (path.find('?') == std::string_view::npos ? '?' : '&') + toQuery(fields);
}

} // namespace portico::calendar
