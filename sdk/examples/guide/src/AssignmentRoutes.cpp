#include "AssignmentRoutes.h"

#include "portico/interfaces/Directory.h"

namespace acme_notes
{

using namespace portico;

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
    auto assignment = _assignments.find(session, caller.organizationId(), *id);
    if (!assignment) throw Problem::notFound();
    return *std::move(assignment);
}

void AssignmentRoutes::checkMember(const std::string& organization, const std::string& userId) const
{
    const auto directory = _context.services().find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("directory_unavailable", "Members cannot be looked up just now.");
    const auto member = directory->member(organization, userId);
    if (!member || !member->active) throw Problem::invalid("userId", "unknown_member", "Not an active member of the organization");
}

Assignment AssignmentRoutes::assign(const Caller& caller, const Path<NoteId>& id, const Body<Assignment>& input)
{
    const auto& organization = caller.organizationId();
    // Before the transaction: another plugin may take its time, and SQLite has one writer.
    checkMember(organization, input->userId);

    const Assignment assignment{*id, input->userId, _context.clock().now()};
    const auto payload = toJson(AssignedNote{organization, *id, input->userId});
    _context.database().transact(
        [&](Transaction& transaction)
        {
            if (!_notes.find(transaction, organization, *id)) throw Problem::notFound();
            _assignments.put(transaction, organization, assignment);
            // In the same transaction: event and job exist exactly if the assignment does.
            _context.events().publish(transaction, "acme-notes.note.assigned", organization, payload);
            Jobs::Options later;
            later.delay = _context.config().seconds("acme-notes.remindAfterSeconds");
            _context.jobs().enqueue(transaction, "remind", payload, later);
        });
    return assignment;
}

} // namespace acme_notes
