#include "NoteStore.h"

namespace acme_notes
{

using portico::Session;

std::optional<Note> NoteStore::find(Session& session, const std::string& organization, const NoteId& id) const
{
    return session.one<Note>(_one, organization, id);
}

std::vector<Note> NoteStore::list(Session& session, const std::string& organization, const std::string& last, int limit) const
{
    return last.empty() ? session.all<Note>(_newest, organization, limit) : session.all<Note>(_older, organization, last, limit);
}

std::int64_t NoteStore::count(Session& session, const std::string& organization, portico::Instant since) const
{
    return session.value<std::int64_t>("SELECT count(*) FROM note WHERE organization_id = $1 AND created_at >= $2", organization, since)
        .value_or(0);
}

void NoteStore::insert(Session& session, const std::string& organization, const Note& note) const
{
    session.insert("note", note, {"organization_id"}, organization);
}

bool NoteStore::update(Session& session, const std::string& organization, const Note& note) const
{
    return session.update("note", note, {}, {"organization_id", "id", "version"}, organization, note.id, note.version - 1) == 1;
}

bool NoteStore::remove(Session& session, const std::string& organization, const NoteId& id) const
{
    return session.execute("DELETE FROM note WHERE organization_id = $1 AND id = $2", organization, id) == 1;
}

} // namespace acme_notes
