#include "data/ManyRows.h"

#include "data/InList.h"

#include <array>
#include <span>

namespace portico::crm
{

namespace
{

/// Rows of one statement: few texts of SQL, so that each is prepared once.
constexpr std::array<std::size_t, 4> sizes{100, 20, 5, 1};

} // namespace

std::int64_t ManyRows::write(Session& session) const
{
    std::int64_t written = 0;
    std::span<const SqlValue> rest = _values;
    for (const auto rows : sizes)
    {
        const auto count = rows * _columns;
        if (rest.size() < count) continue;
        const auto sql = statement(rows);
        for (; rest.size() >= count; rest = rest.subspan(count)) written += session.executeValues(sql, rest.first(count));
    }
    return written;
}

std::string ManyRows::statement(std::size_t rows) const
{
    std::string text = "INSERT INTO " + _into + " VALUES ";
    for (std::size_t row = 0; row < rows; ++row)
    {
        text += row == 0 ? "(" : ", (";
        appendPlaceholders(text, row * _columns + 1, _columns);
        text += ')';
    }
    if (!_ending.empty()) (text += ' ') += _ending;
    return text;
}

} // namespace portico::crm
