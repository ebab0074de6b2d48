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

// The texts in which contacts are searched: the one place where the engines differ. SQLite finds parts of words in an FTS5 table of
// trigrams, PostgreSQL by LIKE, which a trigram index speeds up. What they find is the same. Beginnings of words stand in the table
// `contact_word`, from which the best matches come in their order.

/// A contact that is new, with its text.
struct ContactText
{
    ContactId id;
    std::string text;
};

/// Few statements for many.
void addTexts(Session& session, Tenant tenant, const std::vector<ContactText>& texts);
void changeText(Session& session, Tenant tenant, const ContactId& id, std::string_view before, std::string_view after);
void removeText(Session& session, Tenant tenant, const ContactId& id);

/// Writes the text of a contact anew if it was folded in another way than now. The contact's row is locked by the caller.
void refoldText(Session& session, Tenant tenant, const ContactId& id, std::string_view text);

/// Contacts whose text was folded in another way than now, each with its organization.
std::vector<std::pair<std::string, ContactId>> findOutdatedTexts(Session& session, std::int64_t most);

/// Adds the conditions for contacts `c` of the organization of a placeholder whose text has every word of `query`: longer
/// ones anywhere, short ones at the beginning of a word.
void addSearch(SqlConditions& conditions, Dialect dialect, std::string_view tenantPlaceholder, std::string_view query);

/// Whether there are texts from before there was a table of words.
bool lackWords(Session& session);
/// Writes the words of some texts from before there was a table of words, of all organizations; how many. Leaves out those that somebody
/// else changes at this moment.
std::size_t addMissingWords(Session& session);

/// The beginning of a contact's name, as it is in the order of the words.
std::string_view searchName(std::string_view text);

/// The smallest text that is greater than all that begin with a prefix.
std::string behindPrefix(std::string_view prefix);

/// How many words of an organization's contacts begin with this one, as far as `enough`.
std::int64_t countBeginnings(Session& session, const SqlValue& tenant, std::string_view word, std::int64_t enough);

/// `"word"`, for MATCH.
std::string quotedForMatch(std::string_view word);

} // namespace portico::crm
