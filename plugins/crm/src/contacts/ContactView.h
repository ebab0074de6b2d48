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

constexpr auto schemaOf(const ContactView*)
{
    return describe(field("document", &ContactView::document).flattened(), field("pipelines", &ContactView::pipelines).column("places"),
                    field("counts", &ContactView::counts).transient(), field("notes", &ContactView::notes).transient().omitEmpty(),
                    field("attachments", &ContactView::attachments).transient().omitEmpty(),
                    field("history", &ContactView::history).transient().omitEmpty(), field("version", &ContactView::version).columnOnly(),
                    field("noteCount", &ContactView::noteCount).columnOnly(),
                    field("attachmentCount", &ContactView::attachmentCount).columnOnly())
        .documentedAs<Contact>();
}

} // namespace portico::crm
