#include "contacts/ContactParts.h"

#include "data/SqlText.h"
#include "records/ReachedPipelines.h"

#include "portico/Flight.h"
#include "portico/Problem.h"

#include <algorithm>
#include <optional>

namespace portico::crm
{

namespace
{

template <class T>
std::vector<T> recordsOf(Rows& rows)
{
    std::vector<T> records;
    for (const Row row : rows) records.push_back(row.as<T>());
    return records;
}

InFlight<std::vector<Note>> notesIn(Flight& flight, Tenant tenant, const ContactId& id)
{
    static const auto sql = "SELECT " + columns<Note>() +
                            " FROM note WHERE organization_id = $1 AND contact_id = $2"
                            " ORDER BY pinned DESC, created_at DESC, note_id DESC LIMIT $3";
    return flight.all<Note>(sql, tenant, id, Paging{}.limit);
}

InFlight<std::vector<Attachment>> attachmentsIn(Flight& flight, Tenant tenant, const ContactId& id)
{
    static const auto sql = "SELECT " + columns<Attachment>() +
                            " FROM attachment WHERE organization_id = $1 AND contact_id = $2"
                            " ORDER BY created_at DESC, id DESC LIMIT $3";
    return flight.all<Attachment>(sql, tenant, id, Paging{}.limit);
}

/// On the pipelines that the caller reaches.
InFlight<std::vector<HistoryEntry>> historyIn(Flight& flight, const Caller& caller, const ContactId& id)
{
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(caller.tenant().text())));
    conditions.add("contact_id = " + conditions.bind(id.text()));
    if (const auto reached = reachedPipelines(caller))
    {
        std::vector<std::string> pipelines;
        for (const auto& pipeline : *reached) pipelines.push_back(pipeline.text());
        if (pipelines.empty())
            conditions.add("1 = 0");
        else
            conditions.addIn("pipeline_id", pipelines);
    }
    const auto limit = conditions.bind(std::int64_t{Paging{}.limit});
    const auto sql = "SELECT " + columns<HistoryEntry>() + " FROM pipeline_history WHERE " + conditions.text() +
                     " ORDER BY moved_at DESC, history_id DESC LIMIT " + limit;
    return flight.readValues(sql, conditions.values(), &recordsOf<HistoryEntry>);
}

} // namespace

ContactView contactWithParts(Session& session, const Caller& caller, const ContactId& id, const std::vector<ContactInclude>& parts)
{
    static const auto sql =
        "SELECT " + columns<ContactView>() + " FROM contact WHERE organization_id = $1 AND deleted_at IS NULL AND id = $2";
    const auto tenant = caller.tenant();
    const auto wants = [&](ContactInclude part) { return std::ranges::find(parts, part) != parts.end(); };
    Flight flight(session);
    auto found = flight.one<ContactView>(sql, tenant, id);
    std::optional<InFlight<std::vector<Note>>> notes;
    std::optional<InFlight<std::vector<Attachment>>> attachments;
    std::optional<InFlight<std::vector<HistoryEntry>>> history;
    if (wants(ContactInclude::Notes)) notes.emplace(notesIn(flight, tenant, id));
    if (wants(ContactInclude::Attachments)) attachments.emplace(attachmentsIn(flight, tenant, id));
    if (wants(ContactInclude::History)) history.emplace(historyIn(flight, caller, id));
    if (!*found) throw Problem::notFound();
    auto contact = *std::move(*found);
    contact.counts = {contact.noteCount, contact.attachmentCount};
    if (notes) contact.notes = std::move(notes->get());
    if (attachments) contact.attachments = std::move(attachments->get());
    if (history) contact.history = std::move(history->get());
    if (contact.attachments)
        for (auto& attachment : *contact.attachments) attachment.downloadUrl = downloadUrlOf(attachment.id);
    return contact;
}

} // namespace portico::crm
