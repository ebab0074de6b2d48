#include "AssignmentRoutes.h"

#include "portico/interfaces/Directory.h"

namespace acme_notes
{

using namespace portico;

namespace
{

/// Assigns a note or changes its assignee. Tables have no upsert, so this is SQL.
void put(Transaction& transaction, Tenant tenant, const Assignment& assignment)
{
    transaction.execute("INSERT INTO assignment (note_id, organization_id, user_id, assigned_at) VALUES ($1, $2, $3, $4) "
                        "ON CONFLICT (note_id) DO UPDATE SET user_id = excluded.user_id, assigned_at = excluded.assigned_at",
                        assignment.noteId, tenant, assignment.userId, assignment.assignedAt);
}

} // namespace

void AssignmentRoutes::declare(Routes& routes)
{
    routes.get("/api/notes/{id}/assignee", access::bearerOrKey("notes:read", "notes.read"), &AssignmentRoutes::show, this,
               {.summary = "Who is to see to a note"});
    routes.put("/api/notes/{id}/assignee", access::bearerOrKey("notes:assign", "notes.assign"), &AssignmentRoutes::assign, this,
               {.summary = "Give a note to a member"});
}

Assignment AssignmentRoutes::show(const Caller& caller, const Path<NoteId>& id) const
{
    auto session = _context.database().session();
    return assignments.require(session, caller.tenant(), *id);
}

void AssignmentRoutes::checkMember(Tenant tenant, const std::string& userId) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be looked up just now.");
    const auto member = directory->member(tenant, userId);
    if (!member || !member->active) throw Problem::invalid("userId", "unknown_member", "Not an active member of the organization");
}

Assignment AssignmentRoutes::assign(const Caller& caller, const Path<NoteId>& id, const Body<Assignment>& input)
{
    const auto tenant = caller.tenant();
    // Before the transaction: another plugin may take its time, and SQLite has one writer.
    checkMember(tenant, input->userId);

    const Assignment assignment{*id, input->userId, _context.clock().now()};
    const AssignedNote assigned{std::string(tenant.text()), *id, input->userId};
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (!notes.exists(transaction, tenant, *id)) throw Problem::notFound();
            put(transaction, tenant, assignment);
            // In the same transaction: event and job exist exactly if the assignment does.
            _context.events().publish(transaction, "acme-notes.note.assigned", tenant.text(), toJson(assigned));
            _context.jobs().enqueue(transaction, "remind", assigned, {.delay = _context.config().seconds("acme-notes.remindAfterSeconds")});
        });
    return assignment;
}

} // namespace acme_notes
