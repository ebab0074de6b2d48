#pragma once

#include "data/SqlText.h"

#include "portico/Database.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::crm
{

/// The statements of a search, where the engines differ. Values are those of the filters (the organization first), then those that a
/// function names. All give the columns row_id, has_words, matches, word, name, text and those of ContactView; text is NULL, and so are
/// those of ContactView, in rows that the filters hold back. SQLite joins the rows of a window one by one, so they come in its order, as
/// they are asked for; a second ORDER BY would read and sort all of them first. Sizes of windows are written into the statement: PostgreSQL plans for an
/// unknown LIMIT as if it were a part of the table.
class SearchStatements
{
public:
    SearchStatements(Dialect dialect, const SqlConditions& filters);

    /// A window of the words after a place, in their order: end of the words, word, name, row.
    std::string beginnings(std::size_t window) const;

    /// SQLite: a window of the texts in which all of some words are found, in the order of their rows: row, MATCH expression. The index
    /// gives its rows in their order, so no more are read than are needed.
    std::string matches(std::size_t window) const;

    /// PostgreSQL: a window of all texts, those without some of the words with `matches` false: row, words.
    std::string texts(std::size_t window, std::size_t words) const;
    /// PostgreSQL: a window of the texts that the index finds, all of which it looks up: row, patterns for LIKE.
    std::string indexed(std::size_t window, std::size_t words) const;

    /// What the filters let through, in no order.
    std::string filtered() const;

private:
    std::string value(std::size_t behindFilters) const;
    std::string head(std::string_view words, std::string_view text) const;
    std::string contacts() const;
    std::string order(std::string_view columns) const;

    bool _apart;
    std::string _filters;
    std::size_t _filterValues;
};

} // namespace portico::crm
