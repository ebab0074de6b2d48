#pragma once

#include "contacts/Contact.h"

namespace portico::crm
{

/// A contact as it is read: the stored document goes into the answer as it is, without being parsed. Written, it looks exactly like a
/// Contact.
struct ContactView
{
    Json document;
    /// The column `places`, which goes into the answer as it is, too.
    Json pipelines;
    ContactCounts counts;
    std::optional<std::vector<Note>> notes;
    std::optional<std::vector<Attachment>> attachments;
    std::optional<std::vector<HistoryEntry>> history;

    /// Columns; the document has the version, too.
    std::int64_t version = 1;
    std::int64_t noteCount = 0;
    std::int64_t attachmentCount = 0;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ContactView>
{
    using T = portico::crm::ContactView;
    using DocumentedAs = portico::crm::Contact;
    static constexpr auto fields =
        describe(field("document", &T::document).inlined(), field("pipelines", &T::pipelines).column("places"),
                 field("counts", &T::counts).unstored(), field("notes", &T::notes).unstored().omitEmpty(),
                 field("attachments", &T::attachments).unstored().omitEmpty(), field("history", &T::history).unstored().omitEmpty(),
                 field("version", &T::version).hidden(), field("noteCount", &T::noteCount).hidden(),
                 field("attachmentCount", &T::attachmentCount).hidden());
};
