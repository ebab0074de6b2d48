#pragma once

#include "Task.h"

#include "portico/Plugin.h"

namespace tasks
{

/// `/api/tasks`: a handler is a function from typed input to typed output, its declaration is the route, the permission, the validation and
/// the document.
class TaskRoutes
{
public:
    explicit TaskRoutes(portico::PluginContext& context) : _context(context) {}
    void declare(portico::Routes& routes);

    portico::Page<Task> list(const portico::Caller& caller, const portico::Query<TaskFilter>& filter, const portico::Paging& paging) const;
    portico::Created<Task> create(const portico::Caller& caller, const portico::Body<Task>& input);
    /// Streams changes of the organization's tasks.
    portico::EventStream events(const portico::Caller& caller) const;
    Task show(const portico::Caller& caller, const portico::Path<TaskId>& id) const;
    Task change(const portico::Caller& caller, const portico::Path<TaskId>& id, const portico::Body<portico::Patch<Task>>& patch,
                const portico::IfMatch& ifMatch);
    portico::Deleted<TaskId> remove(const portico::Caller& caller, const portico::Path<TaskId>& id, const portico::IfMatch& ifMatch);

private:
    /// Notifies open streams. Called after the commit, so that clients do not load a task before it is visible.
    void tell(portico::Tenant tenant, std::string_view what, const TaskId& id);

    portico::PluginContext& _context;
};

} // namespace tasks
