#include "contacts/SearchStatements.h"

#include "contacts/ContactView.h"

namespace portico::crm
{

SearchStatements::SearchStatements(Dialect dialect, const SqlConditions& filters)
    : _apart(dialect == Dialect::SQLite), _filters(filters.text()), _filterValues(filters.values().size())
{
}

std::string SearchStatements::beginnings(std::size_t window) const
{
    return head("TRUE, TRUE, w.word, w.name", _apart ? "g.text" : "CASE WHEN c.id IS NOT NULL THEN t.text END") +
           " FROM (SELECT b.word, b.name, b.row_id FROM contact_word b WHERE b.organization_id = $1 AND b.word < " + value(1) +
           " AND (b.word, b.name, b.row_id) > (" + value(2) + ", " + value(3) + ", " + value(4) +
           ") ORDER BY b.word, b.name, b.row_id LIMIT " + std::to_string(window) +
           ") w LEFT JOIN contact_text t ON t.organization_id = $1 AND t.row_id = w.row_id LEFT JOIN contact c ON c.id = t.contact_id "
           "AND " +
           _filters + (_apart ? " LEFT JOIN contact_trigram g ON g.rowid = w.row_id AND c.id IS NOT NULL" : "") +
           order("w.word, w.name, w.row_id");
}

std::string SearchStatements::matches(std::size_t window) const
{
    return head("s.has_words, TRUE, '', ''", "CASE WHEN c.id IS NOT NULL THEN s.text END") +
           " FROM (SELECT g.rowid AS row_id, t.has_words, t.contact_id, g.text FROM contact_trigram g CROSS JOIN contact_text t "
           "WHERE g.contact_trigram MATCH " +
           value(2) + " AND g.rowid > " + value(1) + " AND t.row_id = g.rowid AND t.organization_id = $1 ORDER BY g.rowid LIMIT " +
           std::to_string(window) + ") s" + contacts();
}

std::string SearchStatements::texts(std::size_t window, std::size_t words) const
{
    std::string hasAll;
    for (std::size_t i = 0; i < words; ++i) hasAll += (i == 0 ? "strpos(t.text, " : " AND strpos(t.text, ") + value(2 + i) + ") > 0";
    return head("s.has_words, s.matches, '', ''", "CASE WHEN c.id IS NOT NULL THEN s.text END") +
           " FROM (SELECT i.row_id, i.has_words, i.matches, CASE WHEN i.matches THEN i.contact_id END AS contact_id, i.text FROM "
           "(SELECT t.row_id, t.has_words, t.contact_id, t.text, " +
           hasAll + " AS matches FROM contact_text t WHERE t.organization_id = $1 AND t.row_id > " + value(1) +
           " ORDER BY t.row_id LIMIT " + std::to_string(window) + ") i) s" + contacts();
}

std::string SearchStatements::indexed(std::size_t window, std::size_t words) const
{
    std::string likes;
    for (std::size_t i = 0; i < words; ++i) likes += " AND t.text LIKE " + value(2 + i) + " ESCAPE '\\'";
    // The sum keeps it from the index of rows.
    return "WITH m AS MATERIALIZED (SELECT t.row_id, t.has_words, t.contact_id, t.text FROM contact_text t WHERE t.organization_id = $1 "
           "AND t.row_id + 0 > " +
           value(1) + likes + ") " + head("s.has_words, TRUE, '', ''", "CASE WHEN c.id IS NOT NULL THEN s.text END") +
           " FROM (SELECT * FROM m ORDER BY m.row_id LIMIT " + std::to_string(window) + ") s" + contacts();
}

std::string SearchStatements::filtered() const
{
    return "SELECT t.row_id, t.has_words, TRUE, '', '', " + std::string(_apart ? "g" : "t") + ".text, " + columns<ContactView>("c.") +
           " FROM contact c CROSS JOIN contact_text t " + (_apart ? "CROSS JOIN contact_trigram g " : "") + "WHERE " + _filters +
           " AND t.organization_id = $1 AND t.contact_id = c.id" + (_apart ? " AND g.rowid = t.row_id" : "");
}

std::string SearchStatements::value(std::size_t behindFilters) const { return '$' + std::to_string(_filterValues + behindFilters); }

std::string SearchStatements::head(std::string_view words, std::string_view text) const
{
    std::string sql = words.starts_with("TRUE") ? "SELECT w.row_id, " : "SELECT s.row_id, ";
    ((sql += words) += ", ") += text;
    return sql + ", " + columns<ContactView>("c.");
}

std::string SearchStatements::contacts() const { return " LEFT JOIN contact c ON c.id = s.contact_id AND " + _filters + order("s.row_id"); }

std::string SearchStatements::order(std::string_view columns) const { return _apart ? std::string() : " ORDER BY " + std::string(columns); }

} // namespace portico::crm
