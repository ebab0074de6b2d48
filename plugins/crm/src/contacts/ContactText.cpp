#include "contacts/ContactText.h"

#include "text/Folding.h"

#include <algorithm>
#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

constexpr std::string_view rowOf = "(SELECT row_id FROM contact_text WHERE organization_id = $1 AND contact_id = $2)";

/// Characters, not bytes.
std::size_t length(std::string_view text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

bool isPhoneQuery(std::string_view query)
{
    constexpr std::string_view characters = "0123456789 +-.()/";
    return query.find_first_not_of(characters) == std::string_view::npos && digitsOf(query).size() >= 3;
}

std::vector<std::string> wordsOf(std::string_view query)
{
    if (isPhoneQuery(query))
    {
        // National and international forms differ in the zeros at their start.
        const auto digits = digitsOf(query);
        return {digits.substr(std::min(digits.find_first_not_of('0'), digits.size() - 1))};
    }
    std::vector<std::string> words;
    const std::string folded = fold(query);
    for (std::string_view rest = trim(folded); !rest.empty();)
    {
        const auto end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
        words.emplace_back(rest.substr(0, end));
        rest = trim(rest.substr(end));
    }
    return words;
}

std::string quotedForMatch(std::string_view word)
{
    std::string quoted = "\"";
    for (const char c : word) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

void addLike(SqlConditions& conditions, std::string_view from, std::string_view column, std::string_view organization,
             std::string_view word)
{
    std::string condition = "EXISTS (SELECT 1 FROM ";
    ((condition += from) += " WHERE t.organization_id = ") += organization;
    ((condition += " AND t.contact_id = c.id AND ") += column) += " LIKE " + conditions.bind(containsPattern(word)) + " ESCAPE '\\')";
    conditions.add(condition);
}

} // namespace

void ContactText::write(Session& session, std::string_view organizationId, const ContactId& id, std::string_view text) const
{
    if (session.dialect() == Dialect::PostgreSQL)
    {
        session.execute("INSERT INTO contact_text (organization_id, contact_id, text) VALUES ($1, $2, $3) "
                        "ON CONFLICT (organization_id, contact_id) DO UPDATE SET text = excluded.text",
                        organizationId, id, text);
        return;
    }
    session.execute("INSERT INTO contact_text (organization_id, contact_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", organizationId, id);
    session.execute("INSERT OR REPLACE INTO contact_trigram (rowid, text) VALUES (" + std::string(rowOf) + ", $3)", organizationId, id,
                    text);
}

void ContactText::remove(Session& session, std::string_view organizationId, const ContactId& id) const
{
    if (session.dialect() == Dialect::SQLite)
        session.execute("DELETE FROM contact_trigram WHERE rowid = " + std::string(rowOf), organizationId, id);
    session.execute("DELETE FROM contact_text WHERE organization_id = $1 AND contact_id = $2", organizationId, id);
}

void ContactText::addSearch(SqlConditions& conditions, Dialect dialect, std::string_view organization, std::string_view query) const
{
    constexpr std::size_t trigram = 3;
    std::string match;
    for (const auto& word : wordsOf(query))
    {
        if (dialect == Dialect::PostgreSQL)
            addLike(conditions, "contact_text t", "t.text", organization, word);
        else if (length(word) < trigram)
            addLike(conditions, "contact_text t JOIN contact_trigram g ON g.rowid = t.row_id", "g.text", organization, word);
        else
            (match += match.empty() ? "" : " ") += quotedForMatch(word);
    }
    if (match.empty()) return;
    // CROSS JOIN keeps the order: the index first, not once for each contact.
    conditions.add("c.id IN (SELECT t.contact_id FROM contact_trigram g CROSS JOIN contact_text t ON t.row_id = g.rowid "
                   "WHERE g.contact_trigram MATCH " +
                   conditions.bind(match) + " AND t.organization_id = " + std::string(organization) + ")");
}

} // namespace portico::crm
