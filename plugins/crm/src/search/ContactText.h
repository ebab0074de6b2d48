#pragma once

#include "Ids.h"
#include "data/SqlText.h"

#include "portico/Database.h"
#include "portico/Tenant.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::crm
{

// Search texts of contacts: the only code that differs between the database engines. SQLite finds parts of words in an FTS5 table of
// trigrams; PostgreSQL by LIKE with a trigram index. Both find the same. Beginnings of words are in the table `contact_word`, which returns
// the best matches in order.

/// A new contact with its text.
struct ContactText
{
    ContactId id;
    std::string text;
};

/// Insert many texts with few statements.
void addTexts(Session& session, Tenant tenant, const std::vector<ContactText>& texts);
void changeText(Session& session, Tenant tenant, const ContactId& id, std::string_view before, std::string_view after);
void removeText(Session& session, Tenant tenant, const ContactId& id);

/// Rewrites the text of a contact if it was folded differently. The caller must have locked the contact's row.
void refoldText(Session& session, Tenant tenant, const ContactId& id, std::string_view text);

/// Returns contacts whose text was folded differently, each with its organization.
std::vector<std::pair<std::string, ContactId>> findOutdatedTexts(Session& session, std::int64_t most);

/// Adds conditions for contacts `c` whose text has every word of `query`: longer words anywhere, short ones at the beginning of a word. The
/// placeholder is the organization's.
void addSearch(SqlConditions& conditions, Dialect dialect, std::string_view tenantPlaceholder, std::string_view query);

/// Returns true if some texts precede the table of words.
bool lackWords(Session& session);
/// Adds the words of some texts that precede the table of words, of all organizations. Skips locked ones. Returns their number.
std::size_t addMissingWords(Session& session);

/// Returns the beginning of a contact's name, by which matches of a word are sorted.
std::string_view searchName(std::string_view text);

/// Returns the smallest text that is greater than all texts with a prefix.
std::string behindPrefix(std::string_view prefix);

/// Counts the words of an organization's contacts that begin with this word, up to `enough`.
std::int64_t countBeginnings(Session& session, const SqlValue& tenant, std::string_view word, std::int64_t enough);

/// Returns `"word"`, for MATCH.
std::string quotedForMatch(std::string_view word);

} // namespace portico::crm
