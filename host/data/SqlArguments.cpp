#include "host/data/SqlArguments.h"

#include "host/data/SqlText.h"

#include <cstring>
#include <string>

namespace portico::host::data
{

void requireArgumentCount(std::size_t expected, std::size_t found, std::string_view sql)
{
    if (expected == found) return;
    throw DatabaseError(DatabaseError::Kind::Other, "08P01", {},
                        "SQLSTATE 08P01: the statement takes " + std::to_string(expected) + " arguments and got " + std::to_string(found) +
                            "; statement: " + excerpt(sql));
}

void requireNoNul(std::string_view text, std::string_view sql)
{
    if (text.empty() || !std::memchr(text.data(), 0, text.size())) return;
    throw DatabaseError(
        DatabaseError::Kind::Other, "22021", {},
        "SQLSTATE 22021: a text argument holds a zero byte, which a database text cannot: bind it as portico::Bytes; statement: " +
            excerpt(sql));
}

std::size_t textSize(std::span<const SqlValue> arguments) noexcept
{
    std::size_t total = 0;
    for (const auto& argument : arguments)
    {
        if (auto* text = std::get_if<std::string_view>(&argument.value)) total += text->size();
        if (auto* bytes = std::get_if<std::span<const char>>(&argument.value)) total += bytes->size();
    }
    return total;
}

} // namespace portico::host::data
