#include "host/data/postgres/PostgresCursor.h"

#include <charconv>

namespace portico::host::data
{

namespace
{

constexpr Oid byteaType = 17;

int hexDigit(char c) noexcept { return c <= '9' ? c - '0' : c - 'a' + 10; }

template <class N>
N parse(const PostgresCursor& cursor, int column)
{
    const auto text = cursor.text(column);
    N number{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) portico::detail::throwBadColumn(cursor, column);
    return number;
}

} // namespace

std::string_view PostgresCursor::text(int column) const
{
    return {PQgetvalue(_result.get(), _row, column), static_cast<std::size_t>(PQgetlength(_result.get(), _row, column))};
}

std::int64_t PostgresCursor::integer(int column) const
{
    const auto value = text(column);
    if (value == "t" || value == "f") return value == "t";
    return parse<std::int64_t>(*this, column);
}

double PostgresCursor::number(int column) const { return parse<double>(*this, column); }

bool PostgresCursor::boolean(int column) const { return integer(column) != 0; }

std::string PostgresCursor::bytes(int column) const
{
    auto value = text(column);
    if (PQftype(_result.get(), column) != byteaType || !value.starts_with("\\x")) return std::string(value);
    value.remove_prefix(2);
    std::string decoded;
    decoded.reserve(value.size() / 2);
    for (std::size_t i = 0; i + 1 < value.size(); i += 2) decoded += static_cast<char>(hexDigit(value[i]) * 16 + hexDigit(value[i + 1]));
    return decoded;
}

} // namespace portico::host::data
