#pragma once

#include "Note.h"

#include "portico/Schema.h"

#include <string>

namespace acme_notes
{

/// Who is to see to a note.
struct Assignment
{
    NoteId noteId;
    std::string userId;
    portico::Instant assignedAt{};
};

/// What the job `remind` needs to know, and what the event `acme-notes.note.assigned` tells.
struct AssignedNote
{
    std::string organizationId;
    NoteId noteId;
    std::string userId;
};

} // namespace acme_notes

template <>
struct portico::Schema<acme_notes::Assignment>
{
    using T = acme_notes::Assignment;
    static constexpr auto fields = describe(field("noteId", &T::noteId).readOnly(), field("userId", &T::userId).required().maxLength(40),
                                            field("assignedAt", &T::assignedAt).readOnly());
};

template <>
struct portico::Schema<acme_notes::AssignedNote>
{
    using T = acme_notes::AssignedNote;
    static constexpr auto fields =
        describe(field("organizationId", &T::organizationId), field("noteId", &T::noteId), field("userId", &T::userId));
};
