#pragma once

#include "records/Contact.h"

namespace portico::crm
{

/// Contact for answers: the stored document is copied without parsing. Its JSON equals that of a Contact.
struct ContactView
{
    /// By which `contactTable` names a row. Not read: the document has it.
    ContactId id;
    Json document;
    /// Column `places`, also copied without parsing.
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
    return describe(field<&ContactView::id>().columnOnly().transient(), field<&ContactView::document>().flattened(),
                    field<&ContactView::pipelines>().column("places"), field<&ContactView::counts>().transient(),
                    field<&ContactView::notes>().transient().omitEmpty(), field<&ContactView::attachments>().transient().omitEmpty(),
                    field<&ContactView::history>().transient().omitEmpty(), field<&ContactView::version>().columnOnly(),
                    field<&ContactView::noteCount>().columnOnly(), field<&ContactView::attachmentCount>().columnOnly())
        .documentedAs<Contact>();
}

/// Contacts that are not deleted, for reading. The test of `checkTables` leaves this table out: members of the document that clients may
/// omit have columns that the service always fills.
inline constexpr Table contactTable{"contact", {.where = "deleted_at IS NULL"}, &ContactView::id};

/// One statement. @throws Problem 404
inline ContactView readContact(Session& session, Tenant tenant, const ContactId& id)
{
    auto contact = contactTable.require(session, tenant, id);
    contact.counts = {contact.noteCount, contact.attachmentCount};
    return contact;
}

/// @throws Problem 404 when there is no such contact
inline void requireContact(Session& session, Tenant tenant, const ContactId& id)
{
    if (!contactTable.exists(session, tenant, id)) throw Problem::notFound();
}

} // namespace portico::crm
