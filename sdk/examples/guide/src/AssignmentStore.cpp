#include "AssignmentStore.h"

namespace acme_notes
{

std::optional<Assignment> AssignmentStore::find(portico::Session& session, const std::string& organization, const NoteId& note) const
{
    return session.one<Assignment>(_one, organization, note);
}

void AssignmentStore::put(portico::Session& session, const std::string& organization, const Assignment& assignment) const
{
    session.execute("INSERT INTO assignment (note_id, organization_id, user_id, assigned_at) VALUES ($1, $2, $3, $4) "
                    "ON CONFLICT (note_id) DO UPDATE SET user_id = excluded.user_id, assigned_at = excluded.assigned_at",
                    assignment.noteId, organization, assignment.userId, assignment.assignedAt);
}

} // namespace acme_notes
