#include "search/SearchStatements.h"

namespace portico::crm
{

std::string SearchStatements::beginnings(std::size_t window) const
{
    return std::string("SELECT w.row_id, TRUE, TRUE, t.contact_id, ") + (_apart ? "g" : "t") +
           ".text, w.word, w.name FROM (SELECT b.word, b.name, b.row_id FROM contact_word b WHERE b.organization_id = $1 AND b.word < $2 "
           "AND (b.word, b.name, b.row_id) > ($3, $4, $5) ORDER BY b.word, b.name, b.row_id LIMIT " +
           std::to_string(window) + ") w LEFT JOIN contact_text t ON t.organization_id = $1 AND t.row_id = w.row_id" +
           (_apart ? " LEFT JOIN contact_trigram g ON g.rowid = w.row_id" : "") + order("w.word, w.name, w.row_id");
}

std::string SearchStatements::matches(std::size_t window) const
{
    return "SELECT g.rowid, t.has_words, TRUE, t.contact_id, g.text, '', '' FROM contact_trigram g CROSS JOIN contact_text t "
           "WHERE g.contact_trigram MATCH $3 AND g.rowid > $2 AND t.row_id = g.rowid AND t.organization_id = $1 ORDER BY g.rowid LIMIT " +
           std::to_string(window);
}

std::string SearchStatements::texts(std::size_t window, std::size_t words) const
{
    std::string hasAll;
    for (std::size_t i = 0; i < words; ++i)
        hasAll += (i == 0 ? "strpos(t.text, $" : " AND strpos(t.text, $") + std::to_string(3 + i) + ") > 0";
    return "SELECT s.row_id, s.has_words, s.matches, s.contact_id, CASE WHEN s.matches THEN s.text END, '', '' FROM "
           "(SELECT t.row_id, t.has_words, t.contact_id, t.text, " +
           hasAll + " AS matches FROM contact_text t WHERE t.organization_id = $1 AND t.row_id > $2 ORDER BY t.row_id LIMIT " +
           std::to_string(window) + ") s ORDER BY s.row_id";
}

std::string SearchStatements::indexed(std::size_t window, std::size_t words) const
{
    std::string likes;
    for (std::size_t i = 0; i < words; ++i) likes += " AND t.text LIKE $" + std::to_string(3 + i) + " ESCAPE '\\'";
    // The sum keeps it from the index of rows.
    return "WITH m AS MATERIALIZED (SELECT t.row_id, t.has_words, t.contact_id, t.text FROM contact_text t WHERE t.organization_id = $1 "
           "AND t.row_id + 0 > $2" +
           likes + ") SELECT m.row_id, m.has_words, TRUE, m.contact_id, m.text, '', '' FROM m ORDER BY m.row_id LIMIT " +
           std::to_string(window);
}

std::string SearchStatements::filtered(const SqlConditions& filters) const
{
    return "SELECT t.row_id, t.has_words, TRUE, c.id, " + std::string(_apart ? "g" : "t") +
           ".text, '', '' FROM contact c CROSS JOIN contact_text t " + (_apart ? "CROSS JOIN contact_trigram g " : "") + "WHERE " +
           filters.text() + " AND t.organization_id = $1 AND t.contact_id = c.id" + (_apart ? " AND g.rowid = t.row_id" : "");
}

std::string SearchStatements::sorted(const SqlConditions& filters, const ContactOrder& order, std::size_t window) const
{
    const std::string column(order.column.substr(2)), direction = order.descending ? " DESC" : "";
    return "SELECT w.id, w." + column + ", t.has_words, " + (_apart ? "g" : "t") + ".text FROM (SELECT c.id, " + std::string(order.column) +
           " FROM contact c WHERE " + filters.text() + orderBy(order) + " LIMIT " + std::to_string(window) +
           ") w LEFT JOIN contact_text t ON t.organization_id = $1 AND t.contact_id = w.id" +
           (_apart ? " LEFT JOIN contact_trigram g ON g.rowid = t.row_id" : "") +
           this->order("w." + column + direction + ", w.id" + direction);
}

std::string SearchStatements::countMatches(std::int64_t enough)
{
    return "SELECT count(*) FROM (SELECT 1 FROM contact_trigram g WHERE g.contact_trigram MATCH $1 LIMIT " + std::to_string(enough) + ")";
}

std::string SearchStatements::sortedMatches(const SqlConditions& filters, const ContactOrder& order, std::string_view match,
                                            std::size_t window, std::size_t limit)
{
    const std::string column(order.column.substr(2));
    // The inner LIMIT keeps the window from being joined in another order, the plus sign all matches from being looked up for each contact.
    return "SELECT w.id, w." + column + " FROM (SELECT c.id, " + std::string(order.column) + " FROM contact c WHERE " + filters.text() +
           orderBy(order) + " LIMIT " + std::to_string(window) +
           ") w CROSS JOIN contact_text t WHERE t.organization_id = $1 AND t.contact_id = w.id AND +t.row_id IN (SELECT g.rowid FROM "
           "contact_trigram g WHERE g.contact_trigram MATCH " +
           std::string(match) + ") LIMIT " + std::to_string(limit);
}

std::string SearchStatements::order(std::string_view columns) const { return _apart ? std::string() : " ORDER BY " + std::string(columns); }

} // namespace portico::crm
