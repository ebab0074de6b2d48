#pragma once

#include "TaskRoutes.h"

#include "portico/Plugin.h"

namespace tasks
{

/// Ties the parts together; the host makes one for each generation.
class TasksPlugin : public portico::Plugin
{
public:
    explicit TasksPlugin(portico::PluginContext& context) : _context(context), _tasks(context) {}
    void start() override;
    void declare(portico::Routes& routes) override { _tasks.declare(routes); }

private:
    /// Runs at least once: a second run only writes the line again.
    void remind(const MadeTask& made);
    void contactDeleted(const portico::Event& event);

    portico::PluginContext& _context;
    TaskRoutes _tasks;
};

} // namespace tasks
