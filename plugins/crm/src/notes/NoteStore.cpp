#include "notes/NoteStore.h"

#include "data/ManyRows.h"
#include "data/SqlText.h"

#include <charconv>

namespace portico::crm
{

namespace
{

/// `1\n1795224888705\nnot_…`: pinned, created, id of the last note of a page.
std::string cursorOf(const Note& note)
{
    return std::string(note.pinned ? "1\n" : "0\n") + std::to_string(toMillis(note.createdAt)) + '\n' + note.noteId.text();
}

/// Later notes in the order of the list. The SDK signs cursors, so this one is ours.
void addNoteCursor(SqlConditions& conditions, std::string_view cursor, bool descending)
{
    if (cursor.empty()) return;
    const bool pinned = cursor.front() == '1';
    const auto end = cursor.rfind('\n');
    std::int64_t created = 0;
    std::from_chars(cursor.data() + 2, cursor.data() + end, created);
    const std::string later = std::string("(created_at, note_id) ") + (descending ? "<" : ">") + " (" + conditions.bind(created) + ", " +
                              conditions.bind(std::string(cursor.substr(end + 1))) + ")";
    conditions.add(pinned ? "(NOT pinned OR " + later + ")" : "NOT pinned AND " + later);
}

} // namespace

NoteStore::NoteStore()
    : _selectOne("SELECT " + columns<Note>() +
                 " FROM note WHERE organization_id = $1 AND contact_id = $2 AND note_id = $3 AND EXISTS (SELECT 1 FROM contact c "
                 "WHERE c.organization_id = $1 AND c.id = $2 AND c.deleted_at IS NULL)")
{
}

Page<Note> NoteStore::list(Session& session, std::string_view organizationId, const ContactId& contactId, NoteSort sort,
                           const Paging& paging) const
{
    const bool descending = sort == NoteSort::CreatedAtDescending;
    Page<Note> page;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(organizationId)));
    conditions.add("contact_id = " + conditions.bind(contactId.text()));
    if (paging.includeTotal)
        for (Row row : session.queryValues("SELECT count(*) FROM note WHERE " + conditions.text(), conditions.values()))
            page.total = row.get<std::int64_t>(0);

    addNoteCursor(conditions, paging.cursor, descending);
    const std::string direction = descending ? " DESC" : "";
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const std::string sql = "SELECT " + columns<Note>() + " FROM note WHERE " + conditions.text() + " ORDER BY pinned DESC, created_at" +
                            direction + ", note_id" + direction + " LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = cursorOf(page.items.back());
            break;
        }
        page.items.push_back(row.as<Note>());
    }
    return page;
}

std::vector<Note> NoteStore::firstPage(Session& session, std::string_view organizationId, const ContactId& contactId) const
{
    return list(session, organizationId, contactId, NoteSort::CreatedAtDescending, Paging{}).items;
}

std::optional<Note> NoteStore::find(Session& session, std::string_view organizationId, const ContactId& contactId,
                                    const NoteId& noteId) const
{
    return session.one<Note>(_selectOne, organizationId, contactId, noteId);
}

std::optional<Note> NoteStore::load(Transaction& transaction, std::string_view organizationId, const ContactId& contactId,
                                    const NoteId& noteId) const
{
    return transaction.one<Note>(_selectOne + std::string(forUpdate(transaction)), organizationId, contactId, noteId);
}

bool NoteStore::insert(Transaction& transaction, std::string_view organizationId, const Note& note) const
{
    // The count first: it locks the contact, so that a deletion cannot come between.
    if (transaction.execute("UPDATE contact SET note_count = note_count + 1 WHERE organization_id = $1 AND id = $2 AND deleted_at IS NULL",
                            organizationId, note.contactId) == 0)
        return false;
    transaction.insert("note", note, {"organization_id"}, organizationId);
    return true;
}

void NoteStore::insertAll(Transaction& transaction, std::string_view organizationId, const std::vector<Note>& notes) const
{
    ManyRows rows("note (" + columns<Note>() + ", organization_id)", columnCount<Note>() + 1);
    for (const auto& note : notes) rows.addRecord(note, organizationId);
    rows.write(transaction);
}

void NoteStore::update(Transaction& transaction, std::string_view organizationId, const Note& note) const
{
    transaction.update("note", note, {}, {"organization_id", "note_id"}, organizationId, note.noteId);
}

void NoteStore::erase(Transaction& transaction, std::string_view organizationId, const Note& note) const
{
    transaction.execute("DELETE FROM note WHERE organization_id = $1 AND note_id = $2", organizationId, note.noteId);
    transaction.execute("UPDATE contact SET note_count = note_count - 1 WHERE organization_id = $1 AND id = $2", organizationId,
                        note.contactId);
}

} // namespace portico::crm
