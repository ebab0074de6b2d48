#pragma once

#include "portico/Table.h"

#include <string>

namespace acme_notes
{

using NoteId = portico::Id<"note">;

struct Note : portico::Versioned
{
    NoteId id;
    std::string title;
    std::string text;
    /// The author: a user, or the owner of an API key.
    std::string authorId;
};

/// JSON in and out, validation, the API document and the row: all from these lines.
constexpr auto schemaOf(const Note*)
{
    using namespace portico;
    return describe(field<&Note::id>().readOnly(), field<&Note::title>().required().maxLength(200).trimmed(),
                    field<&Note::text>().maxLength(10'000), field<&Note::authorId>().readOnly(), versioned<Note>());
}

/// Every statement of a table names the organization.
inline constexpr portico::Table notes{"note", &Note::id};

} // namespace acme_notes
