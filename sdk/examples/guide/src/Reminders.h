#pragma once

#include "AssignmentStore.h"
#include "NoteStore.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// The job `remind`: writes to who has been given a note.
class Reminders
{
public:
    Reminders(portico::Context& context, const NoteStore& notes, const AssignmentStore& assignments)
        : _context(context), _notes(notes), _assignments(assignments)
    {
    }
    void start();

private:
    void remind(const portico::Job& job);

    portico::Context& _context;
    const NoteStore& _notes;
    const AssignmentStore& _assignments;
};

} // namespace acme_notes
