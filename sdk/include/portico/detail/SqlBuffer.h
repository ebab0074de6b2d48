#pragma once

#include "portico/detail/Type.h"

#include <cstddef>
#include <string_view>

namespace portico::detail
{

/// A text of SQL that is put together when it is compiled, in room of a fixed size.
template <std::size_t Room>
struct SqlBuffer
{
    char text[Room] = {};
    std::size_t size = 0;

    constexpr SqlBuffer& add(std::string_view part)
    {
        if (part.size() > Room - size) throw "The names of the table, its keys or its condition are too long";
        for (const char c : part) text[size++] = c;
        return *this;
    }
    /// `$12`
    constexpr SqlBuffer& addPlaceholder(std::size_t number)
    {
        const char digits[] = {'$', static_cast<char>('0' + number / 100), static_cast<char>('0' + number / 10 % 10),
                               static_cast<char>('0' + number % 10)};
        const std::string_view all(digits, 4);
        return add("$").add(all.substr(number > 99 ? 1 : number > 9 ? 2 : 3));
    }
    constexpr std::string_view view() const noexcept { return {text, size}; }
};

/// The column of a member: `first_name` of `firstName`, where no other is named.
template <std::size_t Room>
constexpr void addColumn(SqlBuffer<Room>& out, const Member& member)
{
    out.add(member.rules.column);
    if (!member.rules.column.empty()) return;
    for (const char c : member.name)
    {
        const bool upper = c >= 'A' && c <= 'Z';
        const char lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
        out.add(upper ? "_" : "").add({&lower, 1});
    }
}

} // namespace portico::detail
