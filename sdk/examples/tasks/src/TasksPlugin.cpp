#include "TasksPlugin.h"

namespace tasks
{

void TasksPlugin::start()
{
    portico::checkTables(_context.database(), taskTable);
    _context.jobs().handle("remind", &TasksPlugin::remind, this);
    _context.events().subscribe("crm.contact.deleted", [this](const portico::Event& event) { contactDeleted(event); });
}

void TasksPlugin::remind(const MadeTask& made) { _context.logger().information("A task is still open", {{"task", made.taskId.text()}}); }

void TasksPlugin::contactDeleted(const portico::Event& event) { _context.logger().debug("A contact went away", {{"event", event.id}}); }

} // namespace tasks

PORTICO_PLUGIN(tasks::TasksPlugin);
