#include "Reminders.h"

#include "portico/interfaces/Directory.h"

namespace acme_notes
{

using namespace portico;

Reminders::Reminders(PluginContext& context)
    : _context(context), _texts(std::filesystem::path(context.host().pluginDirectory) / "texts", context.logger())
{
}

void Reminders::start()
{
    _context.jobs().handle("remind", &Reminders::remind, this);
    _context.jobs().backOff("remind", {std::chrono::minutes(1), std::chrono::minutes(10), std::chrono::hours(1)});
}

void Reminders::remind(const AssignedNote& told)
{
    const auto directory = _context.services().find<interfaces::Directory>();
    // Run again then, and no fault of this job.
    if (!directory) throw JobRetry::after(std::chrono::seconds(30), "the directory is not there").uncounted();
    const auto member = directory->member(Tenant::fromStored(told.organizationId), told.userId);

    _context.database().transact(
        [&](Transaction& transaction)
        {
            const auto tenant = Tenant::fromStored(told.organizationId);
            const auto note = notes.find(transaction, tenant, told.noteId);
            const auto assignment = assignments.find(transaction, tenant, told.noteId);
            // Much may have happened since the job was made: then there is nothing to do.
            if (!note || !assignment || assignment->userId != told.userId || !member || !member->active) return;
            const auto hours = std::chrono::floor<std::chrono::hours>(_context.clock().now() - note->createdAt).count();
            const Reminder mail{member->displayName, note->title, note->text, hours};
            _context.mailer().send(transaction, {member->email, _texts.subject.render(mail), _texts.body.render(mail), ""});
        });
    _context.metrics().count("reminders");
}

} // namespace acme_notes
