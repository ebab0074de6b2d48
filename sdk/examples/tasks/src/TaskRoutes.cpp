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
        .get("/api/tasks/{id}", read, &TaskRoutes::show, this, {.summary = "One task"})
        .put("/api/tasks/{id}", write, &TaskRoutes::change, this, {.summary = "Change a task"})
        .del("/api/tasks/{id}", write, &TaskRoutes::remove, this, {.summary = "Delete a task"});
}

Page<Task> TaskRoutes::list(const Caller& caller, const Query<TaskFilter>& filter, const Paging& paging) const
{
    auto session = _context.database().session();
    Page<Task> page;
    // One more than asked for tells whether there is a next page.
    page.items = _tasks.list(session, caller.organizationId(), *filter, paging.cursor, paging.limit + 1);
    if (page.items.size() > static_cast<std::size_t>(paging.limit))
    {
        page.items.pop_back();
        page.nextCursor = page.items.back().id.text();
    }
    return page;
}

Created<Task> TaskRoutes::create(const Caller& caller, const Body<Task>& input)
{
    Task task = *input;
    task.createdAt = task.updatedAt = _context.clock().now();
    task.id = TaskId::make(task.createdAt);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            _tasks.insert(transaction, caller.organizationId(), task);
            // In the same transaction: the job and the event exist exactly if the task does.
            const std::string payload = "{\"taskId\":\"" + task.id.text() + "\"}";
            _context.events().publish(transaction, "tasks.task.created", caller.organizationId(), payload);
            Jobs::Options later;
            later.delay = _context.config().seconds("tasks.remindAfterSeconds");
            _context.jobs().enqueue(transaction, "remind", payload, later);
        });
    _context.metrics().count("created");
    return {task, "/api/tasks/" + task.id.text()};
}

Task TaskRoutes::show(const Caller& caller, const Path<TaskId>& id) const
{
    auto session = _context.database().session();
    auto task = _tasks.find(session, caller.organizationId(), *id);
    if (!task) throw Problem::notFound();
    return *std::move(task);
}

Task TaskRoutes::change(const Caller& caller, const Path<TaskId>& id, const Body<Patch<Task>>& patch, const IfMatch& ifMatch)
{
    return _context.database().transact(
        [&](Transaction& transaction)
        {
            auto task = _tasks.find(transaction, caller.organizationId(), *id);
            if (!task) throw Problem::notFound();
            ifMatch.require(task->version);
            patch->applyTo(*task);
            task->updatedAt = _context.clock().now();
            ++task->version;
            // Somebody else was faster (PostgreSQL): the unit of work is run again on what is there now.
            if (!_tasks.update(transaction, caller.organizationId(), *task))
                throw DatabaseError(DatabaseError::Kind::Serialization, "40001", "", "The task was changed meanwhile");
            return *task;
        });
}

NoContent TaskRoutes::remove(const Caller& caller, const Path<TaskId>& id)
{
    const bool removed =
        _context.database().transact([&](Transaction& transaction) { return _tasks.remove(transaction, caller.organizationId(), *id); });
    if (!removed) throw Problem::notFound();
    return {};
}

} // namespace tasks
