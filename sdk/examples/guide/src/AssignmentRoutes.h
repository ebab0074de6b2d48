#pragma once

#include "Assignment.h"
#include "AssignmentStore.h"
#include "NoteStore.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// `/api/notes/{id}/assignee`: who is to see to a note.
class AssignmentRoutes
{
public:
    AssignmentRoutes(portico::Context& context, const NoteStore& notes, const AssignmentStore& assignments)
        : _context(context), _notes(notes), _assignments(assignments)
    {
    }
    void declare(portico::Routes& routes);

    Assignment show(const portico::Caller& caller, const portico::Path<NoteId>& id) const;
    Assignment assign(const portico::Caller& caller, const portico::Path<NoteId>& id, const portico::Body<Assignment>& input);

private:
    void checkMember(const std::string& organization, const std::string& userId) const;

    portico::Context& _context;
    const NoteStore& _notes;
    const AssignmentStore& _assignments;
};

} // namespace acme_notes
