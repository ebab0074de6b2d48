#include "TaskStore.h"

namespace tasks
{

using portico::Session;

std::optional<Task> TaskStore::find(Session& session, const std::string& organization, const TaskId& id) const
{
    return session.one<Task>(_one, organization, id);
}

std::vector<Task> TaskStore::list(Session& session, const std::string& organization, const TaskFilter& filter, const std::string& last,
                                  int limit) const
{
    if (!filter.state) return session.all<Task>(_all, organization, last, limit);
    return session.all<Task>(_byState, organization, last, portico::word(*filter.state), limit);
}

void TaskStore::insert(Session& session, const std::string& organization, const Task& task) const
{
    session.insert("task", task, {"organization_id"}, organization);
}

bool TaskStore::update(Session& session, const std::string& organization, const Task& task) const
{
    return session.update("task", task, {}, {"organization_id", "id", "version"}, organization, task.id, task.version - 1) == 1;
}

bool TaskStore::remove(Session& session, const std::string& organization, const TaskId& id) const
{
    return session.execute("DELETE FROM task WHERE organization_id = $1 AND id = $2", organization, id) == 1;
}

} // namespace tasks
