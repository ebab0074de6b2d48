#include "TasksPlugin.h"

namespace tasks
{

void TasksPlugin::start()
{
    _context.jobs().handle("remind", [this](const portico::Job& job) { remind(job); });
    _context.events().subscribe("crm.contact.deleted", [this](const portico::Event& event) { contactDeleted(event); });
}

void TasksPlugin::remind(const portico::Job& job) { _context.logger().information("A task is still open", {{"payload", job.payload}}); }

void TasksPlugin::contactDeleted(const portico::Event& event) { _context.logger().debug("A contact went away", {{"event", event.id}}); }

} // namespace tasks

PORTICO_PLUGIN(tasks::TasksPlugin);
