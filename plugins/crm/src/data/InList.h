#pragma once

#include "portico/Database.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Appends `$3, $4, …`.
void appendPlaceholders(std::string& text, std::size_t first, std::size_t count);

/// Query with an IN list of any length. Runs in batches of a few fixed lengths, so that few statements are prepared.
class InList
{
public:
    /// `query` has `{}` in place of the list, and `before` placeholders before that.
    InList(std::string_view query, std::size_t before) : _query(query), _before(before) {}

    /// Calls `take` with each row. `first`: the values of `$1` to `$n`.
    template <class F>
    void query(Session& session, const std::vector<SqlValue>& first, const std::vector<std::string>& list, const F& take) const
    {
        for (std::size_t from = 0; from < list.size();)
        {
            const auto length = list.size() - from <= few ? few : many;
            auto values = first;
            // The last one again where there are too few.
            for (std::size_t i = 0; i < length; ++i) values.push_back(SqlValue(list[std::min(from + i, list.size() - 1)]));
            for (Row row : session.queryValues(statement(length), values)) take(row);
            from += length;
        }
    }

private:
    static constexpr std::size_t few = 8, many = 100;
    std::string statement(std::size_t length) const;

    std::string_view _query;
    std::size_t _before;
};

} // namespace portico::crm
