#include "TaskRoutes.h"

namespace tasks
{

using namespace portico;

void TaskRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("tasks:read", "tasks.read");
    const auto write = access::bearerOrKey("tasks:write", "tasks.write");
    routes.get("/api/tasks", read, &TaskRoutes::list, this, {.summary = "List tasks"})
        .post("/api/tasks", write, &TaskRoutes::create, this, {.summary = "Make a task"})
        .get("/api/tasks/events", read, &TaskRoutes::events, this, {.summary = "Follow the tasks"})
        .get("/api/tasks/{id}", read, &TaskRoutes::show, this, {.summary = "One task"})
        .put("/api/tasks/{id}", write, &TaskRoutes::change, this, {.summary = "Change a task"})
        .del("/api/tasks/{id}", write, &TaskRoutes::remove, this, {.summary = "Delete a task"});
}

Page<Task> TaskRoutes::list(const Caller& caller, const Query<TaskFilter>& filter, const Paging& paging) const
{
    auto session = _context.database().session();
    auto select = taskTable.select(caller.tenant());
    if (filter->state) select.where(&Task::state, *filter->state);
    return select.orderBy(&Task::id).page(session, paging);
}

Created<Task> TaskRoutes::create(const Caller& caller, const Body<Task>& input)
{
    const auto tenant = caller.tenant();
    const Task task = taskTable.stamped(*input, {_context.clock().now()});
    _context.database().transact(
        [&](Transaction& transaction)
        {
            taskTable.insert(transaction, tenant, task);
            // In the same transaction: the job and the event exist exactly if the task does.
            const MadeTask made{task.id};
            _context.events().publish(transaction, "tasks.task.created", tenant.text(), toJson(made));
            _context.jobs().enqueue(transaction, "remind", made, {.delay = _context.config().seconds("tasks.remindAfterSeconds")});
        });
    _context.metrics().count("created");
    tell(tenant, "created", task.id);
    return {task, "/api/tasks/" + task.id.text()};
}

Task TaskRoutes::show(const Caller& caller, const Path<TaskId>& id) const
{
    auto session = _context.database().session();
    return taskTable.require(session, caller.tenant(), *id);
}

Task TaskRoutes::change(const Caller& caller, const Path<TaskId>& id, const Body<Patch<Task>>& patch, const IfMatch& ifMatch)
{
    const auto task = _context.database().transact(
        [&](Transaction& transaction)
        { return taskTable.change(transaction, caller.tenant(), *id, ifMatch, {_context.clock().now()}, *patch); });
    tell(caller.tenant(), "changed", task.id);
    return task;
}

Deleted<TaskId> TaskRoutes::remove(const Caller& caller, const Path<TaskId>& id, const IfMatch& ifMatch)
{
    _context.database().transact([&](Transaction& transaction) { taskTable.remove(transaction, caller.tenant(), *id, ifMatch); });
    tell(caller.tenant(), "deleted", *id);
    return Deleted{*id};
}

EventStream TaskRoutes::events(const Caller& caller) const { return {_context.channels(), {Channel(caller.tenant(), "tasks")}}; }

void TaskRoutes::tell(Tenant tenant, std::string_view what, const TaskId& id)
{
    _context.channels().publish(Channel(tenant, "tasks"), what, "{\"id\":\"" + id.text() + "\"}");
}

} // namespace tasks
