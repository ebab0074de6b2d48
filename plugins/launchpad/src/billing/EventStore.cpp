#include "billing/EventStore.h"

namespace portico::launchpad::billing_events
{

bool insert(Transaction& transaction, const ProcessorEvent& event, std::string_view body, Instant now)
{
    return transaction.execute("INSERT INTO billing_event (id, type, subject, seconds, rank, payload, processed, received_at) "
                               "VALUES ($1, $2, $3, $4, $5, $6, FALSE, $7) ON CONFLICT (id) DO NOTHING",
                               event.id, event.type, event.subject, event.created, rankOf(event), body, now) > 0;
}

std::vector<ProcessorEvent> ofSubject(Session& session, std::string_view subject, bool onlyWaiting)
{
    std::vector<ProcessorEvent> events;
    const std::string sql = "SELECT payload FROM billing_event WHERE subject = $1" + std::string(onlyWaiting ? " AND NOT processed" : "") +
                            " ORDER BY seconds, rank, id";
    for (const Row row : session.query(sql, subject))
        if (auto event = readEvent(row.text(0))) events.push_back(*std::move(event));
    return events;
}

void markProcessed(Transaction& transaction, const std::vector<ProcessorEvent>& events)
{
    for (const auto& event : events) transaction.execute("UPDATE billing_event SET processed = TRUE WHERE id = $1", event.id);
}

std::int64_t beginRead(Transaction& transaction, std::string_view subject)
{
    transaction.execute("INSERT INTO billing_subject (subject, begun, applied) VALUES ($1, 1, 0) "
                        "ON CONFLICT (subject) DO UPDATE SET begun = billing_subject.begun + 1",
                        subject);
    return transaction.value<std::int64_t>("SELECT begun FROM billing_subject WHERE subject = $1", subject).value();
}

bool endRead(Transaction& transaction, std::string_view subject, std::int64_t number)
{
    return transaction.execute("UPDATE billing_subject SET applied = $2 WHERE subject = $1 AND applied < $2", subject, number) > 0;
}

} // namespace portico::launchpad::billing_events
