#include "TaskRoutes.h"

#include "portico/Plugin.h"

namespace tasks
{

/// Ties the parts together; the host makes one for each generation.
class TasksPlugin : public portico::Plugin
{
public:
    explicit TasksPlugin(portico::Context& context) : _context(context), _tasks(context) {}

    void start() override
    {
        _context.jobs().handle("remind", [this](const portico::Job& job) { remind(job); });
        _context.events().subscribe("crm.contact.deleted", [this](const portico::Event& event) { contactDeleted(event); });
    }

    void declare(portico::Routes& routes) override { _tasks.declare(routes); }

private:
    /// Runs at least once: a second run only writes the line again.
    void remind(const portico::Job& job) { _context.logger().information("A task is still open", {{"payload", job.payload}}); }
    void contactDeleted(const portico::Event& event) { _context.logger().debug("A contact went away", {{"event", event.id}}); }

    portico::Context& _context;
    TaskRoutes _tasks;
};

} // namespace tasks

PORTICO_PLUGIN(tasks::TasksPlugin);
