#include "ContactGreeter.h"

#include "Note.h"

namespace acme_notes
{

using namespace portico;

void ContactGreeter::start()
{
    if (_context.config().boolean("acme-notes.greetContacts"))
        _context.events().subscribe("crm.contact.created", [this](const Event& event) { greet(event); });
    _context.jobs().handle("forget-events", [this](const Job&) { forgetOldEvents(); });
    _context.jobs().every("forget-events", std::chrono::hours(24));
}

void ContactGreeter::greet(const Event& event)
{
    Note note;
    note.title = "Greet a new contact";
    note.text = event.data;
    note.authorId = _context.host().serviceId;
    const Stamp stamp{_context.clock().now()};
    _context.database().transact(
        [&](Transaction& transaction)
        {
            // Delivered at least once: the second time finds that it has been here.
            if (transaction.execute("INSERT INTO handled_event (id, handled_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", event.id,
                                    stamp.now) == 1)
                notes.create(transaction, Tenant::fromStored(event.organizationId), note, stamp);
        });
}

void ContactGreeter::forgetOldEvents()
{
    // An event is delivered for a week at the longest.
    const auto old = _context.clock().now() - std::chrono::hours(24 * 8);
    _context.database().transact([&](Transaction& transaction)
                                 { transaction.execute("DELETE FROM handled_event WHERE handled_at < $1", old); });
}

} // namespace acme_notes
