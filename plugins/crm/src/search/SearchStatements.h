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

/// Statements of a search, which differ between the engines. `$1` is the organization; functions document other values. All but those with
/// `sorted` in their names and `countMatches` return the columns row_id, has_words, matches, contact_id, text, word and name. SQLite joins
/// the rows of a window one by one in its order; a second ORDER BY would read and sort all of them first. Window sizes are literals,
/// because PostgreSQL plans an unknown LIMIT like a part of the table.
class SearchStatements
{
public:
    explicit SearchStatements(Dialect dialect) : _apart(dialect == Dialect::SQLite) {}

    /// A window of the words after a place, in their order: $2 end of the words, $3 word, $4 name, $5 row.
    std::string beginnings(std::size_t window) const;

    /// SQLite: returns a window of the texts that contain all words, in the order of their rows. $2 row, $3 MATCH expression. The index
    /// returns rows in order, so only the needed ones are read.
    std::string matches(std::size_t window) const;

    /// PostgreSQL: a window of all texts, those without some of the words with `matches` false and no text: $2 row, $3 … words.
    std::string texts(std::size_t window, std::size_t words) const;
    /// PostgreSQL: a window of the texts that the index finds, all of which it looks up: $2 row, $3 … patterns for LIKE.
    std::string indexed(std::size_t window, std::size_t words) const;

    /// Returns the texts of contacts that match the filters, unordered. The values are those of the filters.
    std::string filtered(const SqlConditions& filters) const;

    /// A window of contacts in an order, each with its text: id, the sorted column, has_words, text. The values are those of the filters.
    std::string sorted(const SqlConditions& filters, const ContactOrder& order, std::size_t window) const;

    /// SQLite: how many texts the index finds, as far as `enough`: $1 MATCH expression.
    static std::string countMatches(std::int64_t enough);
    /// SQLite: returns id and sorted column of those contacts in an ordered window whose texts match. The values are those of the filters,
    /// then the MATCH expression at `match`.
    static std::string sortedMatches(const SqlConditions& filters, const ContactOrder& order, std::string_view match, std::size_t window,
                                     std::size_t limit);

private:
    std::string order(std::string_view columns) const;

    bool _apart;
};

} // namespace portico::crm
