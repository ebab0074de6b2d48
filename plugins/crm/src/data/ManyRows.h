#pragma once

#include "portico/Database.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::crm
{

/// Rows for one table that are written many at a time: a statement and an answer for dozens of them. Used by one thread.
class ManyRows
{
public:
    /// @param into table and columns, such as `contact_tag (organization_id, contact_id, tag)`
    /// @param columns their number
    /// @param ending follows the rows, such as `ON CONFLICT DO NOTHING`
    ManyRows(std::string_view into, std::size_t columns, std::string_view ending = {}) : _into(into), _columns(columns), _ending(ending) {}

    /// Adds a row. Texts are views that must be valid until `write`; pass temporary ones through `keep`.
    template <class... A>
    void add(const A&... values)
    {
        (_values.push_back(SqlValue(values)), ...);
    }
    std::string_view keep(std::string text) { return _kept.emplace_back(std::move(text)); }

    /// Inserts the rows; how many there are now because of it. @throws DatabaseError
    std::int64_t write(Session& session) const;

private:
    std::string statement(std::size_t rows) const;

    std::string _into;
    std::size_t _columns;
    std::string _ending;
    std::vector<SqlValue> _values;
    /// A deque does not move them.
    std::deque<std::string> _kept;
};

} // namespace portico::crm
