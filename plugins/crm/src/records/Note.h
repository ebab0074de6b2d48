#pragma once

#include "Ids.h"

#include "portico/Table.h"

#include <string>

namespace portico::crm
{

enum class NoteFormat
{
    Markdown,
    Plain
};

constexpr auto schemaOf(const NoteFormat*)
{
    using enum NoteFormat;
    return portico::choices<NoteFormat>({{"markdown", Markdown}, {"plain", Plain}});
}

struct Note : Versioned
{
    NoteId noteId;
    ContactId contactId;
    std::string body;
    NoteFormat format = NoteFormat::Markdown;
    bool pinned = false;
    std::string createdBy;
    std::string updatedBy;
};

constexpr auto schemaOf(const Note*)
{
    return describe(field<&Note::noteId>().readOnly(), field<&Note::contactId>().readOnly(),
                    field<&Note::body>().required().maxLength(20000), members<&Note::format, &Note::pinned>(),
                    field<&Note::createdBy>().readOnly(), field<&Note::updatedBy>().readOnly(), versioned<Note>());
}

/// Notes of contacts that are not deleted.
inline constexpr Table noteTable{"note",
                                 {.where = "EXISTS (SELECT 1 FROM contact c WHERE c.organization_id = note.organization_id AND "
                                           "c.id = note.contact_id AND c.deleted_at IS NULL)"},
                                 &Note::contactId,
                                 &Note::noteId};

/// The same rows, where the contact has been looked at already.
inline constexpr Table noteRows{"note", &Note::noteId};

enum class NoteSort
{
    CreatedAtDescending,
    CreatedAt
};

constexpr auto schemaOf(const NoteSort*)
{
    using enum NoteSort;
    return portico::choices<NoteSort>({{"-createdAt", CreatedAtDescending}, {"createdAt", CreatedAt}});
}

/// The contact's notes, pinned ones first. The caller has made sure that the contact exists.
Page<Note> listNotes(Session& session, Tenant tenant, const ContactId& contactId, NoteSort sort, const Paging& paging);

/// Writes a note and counts it at its contact; false if there is no such contact.
bool addNote(Transaction& transaction, Tenant tenant, const Note& note);

} // namespace portico::crm
