#pragma once

#include "Task.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <vector>

namespace tasks
{

/// Tasks in the database. Every statement names the organization. Its texts are members, not statics: a plugin has no objects with static
/// storage, so that it can be unloaded. Used by many threads at once.
class TaskStore
{
public:
    std::optional<Task> find(portico::Session& session, const std::string& organization, const TaskId& id) const;
    /// Tasks after `last` in the order of their ids, at most `limit`.
    std::vector<Task> list(portico::Session& session, const std::string& organization, const TaskFilter& filter, const std::string& last,
                           int limit) const;
    void insert(portico::Session& session, const std::string& organization, const Task& task) const;
    /// Writes a task whose version was raised by one; false if somebody else has raised it before.
    bool update(portico::Session& session, const std::string& organization, const Task& task) const;
    bool remove(portico::Session& session, const std::string& organization, const TaskId& id) const;

private:
    const std::string _select = "SELECT " + portico::columns<Task>() + " FROM task WHERE organization_id = $1 AND id ";
    const std::string _one = _select + "= $2";
    const std::string _all = _select + "> $2 ORDER BY id LIMIT $3";
    const std::string _byState = _select + "> $2 AND state = $3 ORDER BY id LIMIT $4";
};

} // namespace tasks
