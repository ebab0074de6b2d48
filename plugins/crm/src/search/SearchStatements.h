#pragma once

#include "data/SqlText.h"
#include "search/ContactOrder.h"

#include "portico/Database.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::crm
{

/// The statements of a search, where the engines differ. `$1` is the organization; a function names its other values. All but those with
/// `sorted` in their names and `countMatches` give the columns row_id, has_words, matches, contact_id, text, word and name. SQLite joins
/// the rows of a window one by one, so they come in its order, as they are asked for; a second ORDER BY would read and sort all of them
/// first. Sizes of windows are written into the statement: PostgreSQL plans for an unknown LIMIT as if it were a part of the table.
class SearchStatements
{
public:
    explicit SearchStatements(Dialect dialect) : _apart(dialect == Dialect::SQLite) {}

    /// A window of the words after a place, in their order: $2 end of the words, $3 word, $4 name, $5 row.
    std::string beginnings(std::size_t window) const;

    /// SQLite: a window of the texts in which all of some words are found, in the order of their rows: $2 row, $3 MATCH expression. The
    /// index gives its rows in their order, so no more are read than are needed.
    std::string matches(std::size_t window) const;

    /// PostgreSQL: a window of all texts, those without some of the words with `matches` false and no text: $2 row, $3 … words.
    std::string texts(std::size_t window, std::size_t words) const;
    /// PostgreSQL: a window of the texts that the index finds, all of which it looks up: $2 row, $3 … patterns for LIKE.
    std::string indexed(std::size_t window, std::size_t words) const;

    /// Texts of what the filters let through, in no order; the values are those of the filters.
    std::string filtered(const SqlConditions& filters) const;

    /// A window of contacts in an order, each with its text: id, the sorted column, has_words, text. The values are those of the filters.
    std::string sorted(const SqlConditions& filters, const ContactOrder& order, std::size_t window) const;

    /// SQLite: how many texts the index finds, as far as `enough`: $1 MATCH expression.
    static std::string countMatches(std::int64_t enough);
    /// SQLite: of a window of contacts in an order those whose texts the index finds: id and the sorted column. The values are those of the
    /// filters, then the MATCH expression at `match`.
    static std::string sortedMatches(const SqlConditions& filters, const ContactOrder& order, std::string_view match, std::size_t window,
                                     std::size_t limit);

private:
    std::string order(std::string_view columns) const;

    bool _apart;
};

} // namespace portico::crm
