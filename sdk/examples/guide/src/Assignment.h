#pragma once

#include "Note.h"

#include <string>

namespace acme_notes
{

/// The user who handles a note.
struct Assignment
{
    NoteId noteId;
    std::string userId;
    portico::Instant assignedAt{};
};

constexpr auto schemaOf(const Assignment*)
{
    using namespace portico;
    return describe(field<&Assignment::noteId>().readOnly(), field<&Assignment::userId>().required().maxLength(40),
                    field<&Assignment::assignedAt>().readOnly());
}

inline constexpr portico::Table assignments{"assignment", &Assignment::noteId};

/// Payload of the job `remind` and of the event `acme-notes.note.assigned`.
struct AssignedNote
{
    std::string organizationId;
    NoteId noteId;
    std::string userId;
};

constexpr auto schemaOf(const AssignedNote*)
{
    using namespace portico;
    return describe(members<&AssignedNote::organizationId, &AssignedNote::noteId, &AssignedNote::userId>());
}

} // namespace acme_notes
