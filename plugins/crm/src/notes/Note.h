#pragma once

#include "Ids.h"

#include "portico/Schema.h"

#include <string>

namespace portico::crm
{

enum class NoteFormat
{
    Markdown,
    Plain
};

struct Note
{
    NoteId noteId;
    ContactId contactId;
    std::string body;
    NoteFormat format = NoteFormat::Markdown;
    bool pinned = false;
    Instant createdAt{};
    std::string createdBy;
    Instant updatedAt{};
    std::string updatedBy;
    std::int64_t version = 1;
    bool operator==(const Note&) const = default;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::NoteFormat>
{
    using NoteFormat = portico::crm::NoteFormat;
    static constexpr auto choices = portico::choices<NoteFormat>({{"markdown", NoteFormat::Markdown}, {"plain", NoteFormat::Plain}});
};

template <>
struct portico::Schema<portico::crm::Note>
{
    using T = portico::crm::Note;
    static constexpr auto fields = describe(field("noteId", &T::noteId).readOnly(), field("contactId", &T::contactId).readOnly(),
                                            field("body", &T::body).required().minLength(1).maxLength(20000), field("format", &T::format),
                                            field("pinned", &T::pinned), field("createdAt", &T::createdAt).readOnly(),
                                            field("createdBy", &T::createdBy).readOnly(), field("updatedAt", &T::updatedAt).readOnly(),
                                            field("updatedBy", &T::updatedBy).readOnly(), field("version", &T::version).readOnly());
};
