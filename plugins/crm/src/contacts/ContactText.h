#pragma once

#include "Ids.h"
#include "data/SqlText.h"

#include "portico/Database.h"

#include <string_view>

namespace portico::crm
{

/// The texts in which contacts are searched: the one place where the engines differ. SQLite finds parts of words in an FTS5 table of
/// trigrams, PostgreSQL by LIKE, which a trigram index speeds up. What they find is the same.
class ContactText
{
public:
    void write(Session& session, std::string_view organizationId, const ContactId& id, std::string_view text) const;
    void remove(Session& session, std::string_view organizationId, const ContactId& id) const;

    /// Adds the conditions for contacts `c` of the organization (placeholder `organization`) whose text holds every word of `query`. A
    /// query that looks like a phone number is one word, its digits.
    void addSearch(SqlConditions& conditions, Dialect dialect, std::string_view organization, std::string_view query) const;
};

} // namespace portico::crm
