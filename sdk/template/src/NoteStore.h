#pragma once

#include "Note.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <vector>

namespace acme_notes
{

/// Notes in the database. Every statement names the organization. Used by many threads at once.
class NoteStore
{
public:
    std::optional<Note> find(portico::Session& session, const std::string& organization, const NoteId& id) const;
    /// The newest first, at most `limit`; those that are older than the note with the id `last`, unless that is empty.
    std::vector<Note> list(portico::Session& session, const std::string& organization, const std::string& last, int limit) const;
    std::int64_t count(portico::Session& session, const std::string& organization, portico::Instant since = {}) const;
    void insert(portico::Session& session, const std::string& organization, const Note& note) const;
    /// Writes a note whose version was raised by one; false if somebody else has raised it before.
    bool update(portico::Session& session, const std::string& organization, const Note& note) const;
    bool remove(portico::Session& session, const std::string& organization, const NoteId& id) const;

private:
    // Members, not statics: a plugin has no objects with static storage, so that it can be unloaded.
    const std::string _select = "SELECT " + portico::columns<Note>() + " FROM note WHERE organization_id = $1";
    const std::string _one = _select + " AND id = $2";
    // Ids begin with the time of their making.
    const std::string _newest = _select + " ORDER BY id DESC LIMIT $2";
    const std::string _older = _select + " AND id < $2 ORDER BY id DESC LIMIT $3";
};

} // namespace acme_notes
