#include "pipelines/Pipeline.h"

#include <algorithm>

namespace portico::crm
{

const Stage* Pipeline::stage(const StageId& id) const noexcept
{
    const auto found = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.stageId == id; });
    return found == stages.end() ? nullptr : &*found;
}

bool Pipeline::allows(const StageId& from, const StageId& to) const noexcept
{
    return !transitions || std::find(transitions->begin(), transitions->end(), Transition{from, to}) != transitions->end();
}

bool isColor(std::string_view text)
{
    constexpr std::size_t length = 7;
    return text.size() == length && text.front() == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

} // namespace portico::crm
