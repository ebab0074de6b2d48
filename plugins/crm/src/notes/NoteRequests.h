#pragma once

#include "notes/Note.h"

#include "portico/Schema.h"

#include <string>

namespace portico::crm
{

enum class NoteSort
{
    CreatedAtDescending,
    CreatedAt
};

/// Query of GET /api/contacts/{id}/notes.
struct NoteFilter
{
    NoteSort sort = NoteSort::CreatedAtDescending;
};

/// Answer of a deletion.
struct DeletedNote
{
    NoteId id;
    bool deleted = true;
};

/// Data of `crm.note.created`.
struct NoteEvent
{
    NoteId noteId;
    ContactId contactId;
    std::string organizationId;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::NoteSort>
{
    using S = portico::crm::NoteSort;
    static constexpr auto choices = portico::choices<S>({{"-createdAt", S::CreatedAtDescending}, {"createdAt", S::CreatedAt}});
};

template <>
struct portico::Schema<portico::crm::NoteFilter>
{
    using T = portico::crm::NoteFilter;
    static constexpr auto fields = describe(field("sort", &T::sort).description("Pinned notes come first in either order"));
};

template <>
struct portico::Schema<portico::crm::DeletedNote>
{
    using T = portico::crm::DeletedNote;
    static constexpr auto fields = describe(field("id", &T::id), field("deleted", &T::deleted));
};

template <>
struct portico::Schema<portico::crm::NoteEvent>
{
    using T = portico::crm::NoteEvent;
    static constexpr auto fields =
        describe(field("noteId", &T::noteId), field("contactId", &T::contactId), field("organizationId", &T::organizationId));
};
