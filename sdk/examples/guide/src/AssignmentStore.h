#pragma once

#include "Assignment.h"

#include "portico/Database.h"

#include <optional>
#include <string>

namespace acme_notes
{

/// Who is to see to which note. Used by many threads at once.
class AssignmentStore
{
public:
    std::optional<Assignment> find(portico::Session& session, const std::string& organization, const NoteId& note) const;
    /// Gives the note to somebody, or to somebody else.
    void put(portico::Session& session, const std::string& organization, const Assignment& assignment) const;

private:
    const std::string _one = "SELECT " + portico::columns<Assignment>() + " FROM assignment WHERE organization_id = $1 AND note_id = $2";
};

} // namespace acme_notes
