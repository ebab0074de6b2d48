#pragma once

#include "Assignment.h"

#include "portico/Plugin.h"

namespace acme_notes
{

/// `/api/notes/{id}/assignee`: the user who handles a note.
class AssignmentRoutes
{
public:
    explicit AssignmentRoutes(portico::PluginContext& context) : _context(context) {}
    void declare(portico::Routes& routes);

    Assignment show(const portico::Caller& caller, const portico::Path<NoteId>& id) const;
    Assignment assign(const portico::Caller& caller, const portico::Path<NoteId>& id, const portico::Body<Assignment>& input);

private:
    void checkMember(portico::Tenant tenant, const std::string& userId) const;

    portico::PluginContext& _context;
};

} // namespace acme_notes
