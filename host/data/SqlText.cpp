#include "host/data/SqlText.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace portico::host::data
{

namespace
{

bool isSpace(char c) noexcept { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

void skipTo(std::string_view& sql, std::string_view end) noexcept
{
    auto position = sql.find(end);
    sql.remove_prefix(position == std::string_view::npos ? sql.size() : position + end.size());
}

} // namespace

void skipSpaceAndComments(std::string_view& sql) noexcept
{
    while (!sql.empty())
    {
        if (isSpace(sql.front()))
            sql.remove_prefix(1);
        else if (sql.starts_with("--"))
            skipTo(sql, "\n");
        else if (sql.starts_with("/*"))
            skipTo(sql, "*/");
        else
            return;
    }
}

std::string_view takeWord(std::string_view& sql) noexcept
{
    skipSpaceAndComments(sql);
    auto end = std::find_if_not(sql.begin(), sql.end(), isLetter);
    auto word = sql.substr(0, static_cast<std::size_t>(end - sql.begin()));
    sql.remove_prefix(word.size());
    return word;
}

std::string excerpt(std::string_view sql)
{
    constexpr std::size_t longest = 200;
    std::string text;
    for (char c : sql)
    {
        if (isSpace(c)) c = ' ';
        if (c == ' ' && (text.empty() || text.back() == ' ')) continue;
        if (text.size() == longest) return text + "…";
        text += c;
    }
    return text;
}

int lineAt(std::string_view text, std::size_t offset) noexcept
{
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())), '\n'));
}

DatabaseError sqlError(DatabaseError::Kind kind, std::string_view sqlState, std::string_view reason, std::string_view sql,
                       std::string constraint)
{
    const std::string state(sqlState);
    return {kind, state, std::move(constraint), "SQLSTATE " + state + ": " + std::string(reason) + "; statement: " + excerpt(sql)};
}

void requireNoNul(std::string_view text, std::string_view sql)
{
    if (text.empty() || !std::memchr(text.data(), 0, text.size())) return;
    throw sqlError(DatabaseError::Kind::Other, "22021",
                   "a text argument holds a zero byte, which a database text cannot: bind it as portico::Bytes", sql);
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
