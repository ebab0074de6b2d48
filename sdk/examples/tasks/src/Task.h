#pragma once

#include "portico/Id.h"
#include "portico/Schema.h"

#include <cstdint>
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

struct Task
{
    TaskId id;
    std::string title;
    TaskState state = TaskState::Open;
    std::vector<std::string> labels;
    std::optional<portico::Instant> due;
    portico::Instant createdAt{};
    portico::Instant updatedAt{};
    std::int64_t version = 1;
};

struct TaskFilter
{
    std::optional<TaskState> state;
};

} // namespace tasks

namespace portico
{

template <>
struct Schema<tasks::TaskState>
{
    static constexpr auto choices =
        portico::choices<tasks::TaskState>({{"open", tasks::TaskState::Open}, {"done", tasks::TaskState::Done}});
};

/// JSON in and out, validation, the API document and the row: all from these lines.
template <>
struct Schema<tasks::Task>
{
    using T = tasks::Task;
    static constexpr auto fields = describe(field("id", &T::id).readOnly(), field("title", &T::title).required().maxLength(200),
                                            field("state", &T::state), field("labels", &T::labels).maxItems(10).maxLength(40),
                                            field("due", &T::due), field("createdAt", &T::createdAt).readOnly(),
                                            field("updatedAt", &T::updatedAt).readOnly(), field("version", &T::version).readOnly());
};

template <>
struct Schema<tasks::TaskFilter>
{
    static constexpr auto fields = describe(field("state", &tasks::TaskFilter::state));
};

} // namespace portico
