#pragma once

#include "portico/Id.h"
#include "portico/Schema.h"

#include <cstdint>
#include <string>

namespace acme_notes
{

using NoteId = portico::Id<"note">;

struct Note
{
    NoteId id;
    std::string title;
    std::string text;
    /// Who wrote it: a user, or the owner of an API key.
    std::string authorId;
    portico::Instant createdAt{};
    portico::Instant updatedAt{};
    std::int64_t version = 1;
};

} // namespace acme_notes

/// JSON in and out, validation, the API document and the row: all from these lines.
template <>
struct portico::Schema<acme_notes::Note>
{
    using T = acme_notes::Note;
    static constexpr auto fields = describe(field("id", &T::id).readOnly(), field("title", &T::title).required().maxLength(200),
                                            field("text", &T::text).maxLength(10'000), field("authorId", &T::authorId).readOnly(),
                                            field("createdAt", &T::createdAt).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
                                            field("version", &T::version).readOnly());
};
