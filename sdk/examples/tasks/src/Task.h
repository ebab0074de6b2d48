#pragma once

#include "portico/Table.h"

#include <optional>
#include <string>
#include <vector>

namespace tasks
{

using TaskId = portico::Id<"tsk">;

enum class TaskState
{
    Open,
    Done
};

constexpr auto schemaOf(const TaskState*)
{
    using enum TaskState;
    return portico::choices<TaskState>({{"open", Open}, {"done", Done}});
}

struct Task : portico::Versioned
{
    TaskId id;
    std::string title;
    TaskState state = TaskState::Open;
    std::vector<std::string> labels;
    std::optional<portico::Instant> due;
};

/// JSON in and out, validation, the API document and the row: all from these lines.
constexpr auto schemaOf(const Task*)
{
    using namespace portico;
    return describe(field<&Task::id>().readOnly(), field<&Task::title>().required().maxLength(200), field<&Task::state>(),
                    field<&Task::labels>().maxItems(10).maxLength(40), field<&Task::due>(), versioned<Task>());
}

/// Every statement of a table names the organization.
inline constexpr portico::Table taskTable{"task", &Task::id};

/// Payload of the job `remind` and of the event `tasks.task.created`.
struct MadeTask
{
    TaskId taskId;
};

constexpr auto schemaOf(const MadeTask*)
{
    using namespace portico;
    return describe(field<&MadeTask::taskId>().required());
}

struct TaskFilter
{
    std::optional<TaskState> state;
};

constexpr auto schemaOf(const TaskFilter*)
{
    using namespace portico;
    return describe(field<&TaskFilter::state>());
}

} // namespace tasks
