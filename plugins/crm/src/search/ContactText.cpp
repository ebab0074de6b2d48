#include "search/ContactText.h"

#include "data/InList.h"
#include "data/ManyRows.h"
#include "text/SearchWords.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr std::int64_t wordlessBatch = 500;

/// A row of the table of words.
struct WordRow
{
    std::string word;
    std::string name;
    std::int64_t row = 0;
    auto operator<=>(const WordRow&) const = default;
};

/// How texts are folded now, as `contact_text.folding` says it: 1 has one apostrophe and one hyphen. A change of the folding raises it.
constexpr std::int64_t currentFolding = 1;

/// Location of a contact's text.
struct TextRow
{
    std::int64_t row = 0;
    bool hasWords = false;
    bool folded = false;
};

std::optional<TextRow> lockRow(Session& session, Tenant tenant, const ContactId& id)
{
    const std::string sql = "SELECT row_id, has_words, folding FROM contact_text WHERE organization_id = $1 AND contact_id = $2";
    for (Row row : session.query(sql + std::string(forUpdate(session)), tenant, id))
        return TextRow{row.get<std::int64_t>(0), row.get<bool>(1), row.get<std::int64_t>(2) >= currentFolding};
    return std::nullopt;
}

/// The text that is stored.
std::string storedText(Session& session, Tenant tenant, const ContactId& id, std::int64_t row)
{
    const auto text =
        session.dialect() == Dialect::SQLite
            ? session.value<std::string>("SELECT text FROM contact_trigram WHERE rowid = $1", row)
            : session.value<std::string>("SELECT text FROM contact_text WHERE organization_id = $1 AND contact_id = $2", tenant, id);
    return text.value();
}

/// SQLite only: stores the trigrams.
void writeTrigrams(Session& session, std::int64_t row, std::string_view text)
{
    session.execute("INSERT OR REPLACE INTO contact_trigram (rowid, text) VALUES ($1, $2)", row, text);
}

/// Inserts texts. Returns their rows.
std::vector<std::int64_t> insertTexts(Session& session, Tenant tenant, const std::vector<ContactText>& entries)
{
    const bool apart = session.dialect() == Dialect::SQLite;
    std::vector<std::int64_t> numbers;
    if (apart)
    {
        // SQLite has one writer, so these numbers are free.
        auto last = session.value<std::int64_t>("SELECT coalesce(max(row_id), 0) FROM contact_text").value();
        ManyRows rows("contact_text (row_id, organization_id, contact_id, has_words, folding)", 5),
            trigrams("contact_trigram (rowid, text)", 2);
        for (const auto& entry : entries)
        {
            rows.add(++last, tenant, entry.id, true, currentFolding);
            trigrams.add(last, entry.text);
            numbers.push_back(last);
        }
        rows.write(session);
        trigrams.write(session);
        return numbers;
    }
    ManyRows rows("contact_text (organization_id, contact_id, text, has_words, folding)", 5);
    std::vector<std::string> ids;
    for (const auto& entry : entries)
    {
        rows.add(tenant, entry.id, entry.text, true, currentFolding);
        ids.push_back(entry.id.text());
    }
    rows.write(session);
    std::map<std::string, std::int64_t> numberOf;
    InList("SELECT contact_id, row_id FROM contact_text WHERE organization_id = $1 AND contact_id IN {}", 1)
        .query(session, {tenant}, ids, [&](Row row) { numberOf[row.get<std::string>(0)] = row.get<std::int64_t>(1); });
    for (const auto& id : ids) numbers.push_back(numberOf.at(id));
    return numbers;
}

/// Texts of some rows, one to a line: no word and no name has a line break.
struct Lines
{
    std::string words;
    std::string names;
    std::string rows;

    explicit Lines(const std::vector<WordRow>& all)
    {
        for (const auto& [word, name, row] : all)
        {
            const auto* separator = words.empty() ? "" : "\n";
            (words += separator) += word;
            (names += separator) += name;
            (rows += separator) += std::to_string(row);
        }
    }
};

void insertWords(Session& session, Tenant tenant, const std::vector<WordRow>& rows)
{
    if (rows.empty()) return;
    if (session.dialect() == Dialect::PostgreSQL)
    {
        const Lines lines(rows);
        session.execute("INSERT INTO contact_word (organization_id, word, name, row_id) SELECT $1, x.word, x.name, x.row::bigint "
                        "FROM unnest(string_to_array($2, E'\\n'), string_to_array($3, E'\\n'), string_to_array($4, E'\\n')) "
                        "AS x (word, name, row)",
                        tenant, lines.words, lines.names, lines.rows);
        return;
    }
    ManyRows words("contact_word (organization_id, word, name, row_id)", 4);
    for (const auto& [word, name, row] : rows) words.add(tenant, word, name, row);
    words.write(session);
}

void deleteWords(Session& session, Tenant tenant, const std::vector<WordRow>& rows)
{
    if (rows.empty()) return;
    if (session.dialect() == Dialect::PostgreSQL)
    {
        const Lines lines(rows);
        session.execute("DELETE FROM contact_word w USING unnest(string_to_array($2, E'\\n'), string_to_array($3, E'\\n'), "
                        "string_to_array($4, E'\\n')) AS x (word, name, row) WHERE w.organization_id = $1 AND w.word = x.word "
                        "AND w.name = x.name AND w.row_id = x.row::bigint",
                        tenant, lines.words, lines.names, lines.rows);
        return;
    }
    for (const auto& [word, name, row] : rows)
        session.execute("DELETE FROM contact_word WHERE organization_id = $1 AND word = $2 AND name = $3 AND row_id = $4", tenant, word,
                        name, row);
}

/// Sorted.
std::vector<WordRow> wordRows(std::string_view text, std::int64_t row)
{
    std::vector<WordRow> rows;
    for (auto& word : wordKeys(text)) rows.push_back({std::move(word), std::string(searchName(text)), row});
    return rows;
}

std::vector<WordRow> without(const std::vector<WordRow>& rows, const std::vector<WordRow>& others)
{
    std::vector<WordRow> left;
    std::set_difference(rows.begin(), rows.end(), others.begin(), others.end(), std::back_inserter(left));
    return left;
}

} // namespace

std::string_view searchName(std::string_view text)
{
    constexpr std::size_t longest = 12;
    const auto line = text.substr(0, text.find('\n'));
    std::size_t end = std::min(line.size(), longest);
    while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xc0) == 0x80) --end;
    return line.substr(0, end);
}

std::string behindPrefix(std::string_view prefix)
{
    // U+10FFFF, which is no character, so no text has it.
    return std::string(prefix) + "\xf4\x8f\xbf\xbf";
}

std::string quotedForMatch(std::string_view word)
{
    std::string quoted = "\"";
    for (const char c : word) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + '"';
}

void addTexts(Session& session, Tenant tenant, const std::vector<ContactText>& texts)
{
    std::vector<WordRow> words;
    const auto rows = insertTexts(session, tenant, texts);
    for (std::size_t i = 0; i < texts.size(); ++i)
    {
        auto some = wordRows(texts[i].text, rows[i]);
        words.insert(words.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    // Neighbours go to one page of the index.
    std::sort(words.begin(), words.end());
    insertWords(session, tenant, words);
}

namespace
{

/// Replaces the text of a locked row. @param before text from which the stored words were computed
void replaceText(Session& session, Tenant tenant, const ContactId& id, const TextRow& found, std::string_view before,
                 std::string_view after)
{
    if (session.dialect() == Dialect::PostgreSQL)
        session.execute("UPDATE contact_text SET text = $3, has_words = TRUE, folding = $4 WHERE organization_id = $1 AND contact_id = $2",
                        tenant, id, after, currentFolding);
    else
    {
        if (!found.hasWords || !found.folded)
            session.execute("UPDATE contact_text SET has_words = TRUE, folding = $3 WHERE organization_id = $1 AND contact_id = $2", tenant,
                            id, currentFolding);
        writeTrigrams(session, found.row, after);
    }
    const auto old = found.hasWords ? wordRows(before, found.row) : std::vector<WordRow>();
    const auto rows = wordRows(after, found.row);
    deleteWords(session, tenant, without(old, rows));
    insertWords(session, tenant, without(rows, old));
}

} // namespace

void changeText(Session& session, Tenant tenant, const ContactId& id, std::string_view before, std::string_view after)
{
    if (before == after) return;
    // Locked before its words are touched: the job that adds missing ones locks it, too.
    const auto found = lockRow(session, tenant, id);
    if (!found) return addTexts(session, tenant, {{id, std::string(after)}});
    // A text that was folded differently has other words than `before`.
    if (found->folded)
        replaceText(session, tenant, id, *found, before, after);
    else
        replaceText(session, tenant, id, *found, storedText(session, tenant, id, found->row), after);
}

void removeText(Session& session, Tenant tenant, const ContactId& id)
{
    const auto found = lockRow(session, tenant, id);
    if (!found) return;
    if (found->hasWords) deleteWords(session, tenant, wordRows(storedText(session, tenant, id, found->row), found->row));
    if (session.dialect() == Dialect::SQLite) session.execute("DELETE FROM contact_trigram WHERE rowid = $1", found->row);
    session.execute("DELETE FROM contact_text WHERE organization_id = $1 AND contact_id = $2", tenant, id);
}

void refoldText(Session& session, Tenant tenant, const ContactId& id, std::string_view text)
{
    const auto found = lockRow(session, tenant, id);
    if (found && !found->folded) replaceText(session, tenant, id, *found, storedText(session, tenant, id, found->row), text);
}

std::vector<std::pair<std::string, ContactId>> findOutdatedTexts(Session& session, std::int64_t most)
{
    std::vector<std::pair<std::string, ContactId>> found;
    // The number is written into the statement: the partial index serves no unknown one.
    for (Row row : session.query("SELECT organization_id, contact_id FROM contact_text WHERE folding < 1 ORDER BY row_id LIMIT $1", most))
        found.emplace_back(row.get<std::string>(0), row.get<ContactId>(1));
    return found;
}

bool lackWords(Session& session)
{
    return session.value<std::int64_t>("SELECT 1 FROM contact_text WHERE NOT has_words LIMIT 1").has_value();
}

namespace
{

/// Adds the words of the texts up to a row that have none.
std::size_t addWords(Session& session, Tenant tenant, std::int64_t last)
{
    std::vector<std::pair<std::int64_t, std::string>> wordless;
    const bool apart = session.dialect() == Dialect::SQLite;
    for (Row row : session.query(apart ? "SELECT t.row_id, g.text FROM contact_text t JOIN contact_trigram g ON g.rowid = t.row_id "
                                         "WHERE t.organization_id = $1 AND NOT t.has_words AND t.row_id <= $2 ORDER BY t.row_id"
                                       : "SELECT row_id, text FROM contact_text WHERE organization_id = $1 AND NOT has_words "
                                         "AND row_id <= $2 ORDER BY row_id FOR UPDATE SKIP LOCKED",
                                 tenant, last))
        wordless.emplace_back(row.get<std::int64_t>(0), row.get<std::string>(1));
    for (const auto& [row, text] : wordless)
    {
        insertWords(session, tenant, wordRows(text, row));
        session.execute("UPDATE contact_text SET has_words = TRUE WHERE organization_id = $1 AND row_id = $2", tenant, row);
    }
    return wordless.size();
}

} // namespace

std::size_t addMissingWords(Session& session)
{
    std::vector<std::pair<std::string, std::int64_t>> lastRows;
    for (Row row : session.query("SELECT organization_id, max(row_id) FROM (SELECT organization_id, row_id FROM contact_text "
                                 "WHERE NOT has_words ORDER BY row_id LIMIT $1) AS pending GROUP BY organization_id",
                                 wordlessBatch))
        lastRows.emplace_back(row.get<std::string>(0), row.get<std::int64_t>(1));
    std::size_t count = 0;
    for (const auto& [organization, last] : lastRows) count += addWords(session, Tenant::fromStored(organization), last);
    return count;
}

std::int64_t countBeginnings(Session& session, const SqlValue& tenant, std::string_view word, std::int64_t enough)
{
    // The number is written into the statement: PostgreSQL plans for an unknown LIMIT as if it were a part of the table.
    const auto sql = "SELECT count(*) FROM (SELECT 1 FROM contact_word WHERE organization_id = $1 AND word >= $2 AND word < $3 LIMIT " +
                     std::to_string(enough) + ") AS x";
    return session.value<std::int64_t>(sql, tenant, word, behindPrefix(word)).value();
}

void addSearch(SqlConditions& conditions, Dialect dialect, std::string_view tenantPlaceholder, std::string_view query)
{
    const std::string ofOrganization = " t.organization_id = " + std::string(tenantPlaceholder);
    std::string match;
    for (const auto& word : searchWords(query))
    {
        if (isShortWord(word))
            conditions.add("c.id IN (SELECT t.contact_id FROM contact_word w CROSS JOIN contact_text t WHERE w.organization_id = " +
                           std::string(tenantPlaceholder) + " AND w.word >= " + conditions.bind(word) + " AND w.word < " +
                           conditions.bind(behindPrefix(word)) + " AND t.organization_id = w.organization_id AND t.row_id = w.row_id)");
        else if (dialect == Dialect::PostgreSQL)
            conditions.add("EXISTS (SELECT 1 FROM contact_text t WHERE" + ofOrganization + " AND t.contact_id = c.id AND t.text LIKE " +
                           conditions.bind(containsPattern(word)) + " ESCAPE '\\')");
        else
            (match += match.empty() ? "" : " ") += quotedForMatch(word);
    }
    if (match.empty()) return;
    // CROSS JOIN keeps the order: the index first, not once for each contact.
    conditions.add("c.id IN (SELECT t.contact_id FROM contact_trigram g CROSS JOIN contact_text t WHERE g.contact_trigram MATCH " +
                   conditions.bind(match) + " AND t.row_id = g.rowid AND" + ofOrganization + ")");
}

} // namespace portico::crm
