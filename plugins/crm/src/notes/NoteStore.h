#pragma once

#include "notes/Note.h"
#include "notes/NoteRequests.h"

#include "portico/Arguments.h"
#include "portico/Database.h"
#include "portico/Results.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The rows of notes. Every statement names the organization, and notes of a deleted contact are not there. Holds SQL only, so one object
/// serves all threads.
class NoteStore
{
public:
    NoteStore();

    /// The contact's notes, pinned ones first. The caller has made sure that the contact exists.
    Page<Note> list(Session& session, std::string_view organizationId, const ContactId& contactId, NoteSort sort,
                    const Paging& paging) const;
    /// As many as the first page of `list` has by default.
    std::vector<Note> firstPage(Session& session, std::string_view organizationId, const ContactId& contactId) const;
    std::optional<Note> find(Session& session, std::string_view organizationId, const ContactId& contactId, const NoteId& noteId) const;
    /// The same for changing: no other writer changes it until the transaction ends.
    std::optional<Note> load(Transaction& transaction, std::string_view organizationId, const ContactId& contactId,
                             const NoteId& noteId) const;

    /// False if the contact does not exist.
    bool insert(Transaction& transaction, std::string_view organizationId, const Note& note) const;
    /// Notes of contacts whose counts the caller writes, with few statements.
    void insertAll(Transaction& transaction, std::string_view organizationId, const std::vector<Note>& notes) const;
    void update(Transaction& transaction, std::string_view organizationId, const Note& note) const;
    void erase(Transaction& transaction, std::string_view organizationId, const Note& note) const;

private:
    std::string _selectOne;
};

} // namespace portico::crm
