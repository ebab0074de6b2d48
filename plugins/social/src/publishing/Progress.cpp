#include "publishing/Progress.h"

#include <algorithm>

namespace portico::social
{

Progress continued(const Progress& before, Progress fresh)
{
    int out = 0;
    for (std::size_t i = 0; i < before.results.size(); ++i)
        if (before.steps[i].kind == "post") out = before.steps[i].part + 1;
    if (out == 0) return fresh;
    std::vector<FixedStep> steps;
    for (std::size_t i = 0; i < before.results.size(); ++i)
        if (before.steps[i].part < out)
        {
            steps.push_back(before.steps[i]);
            fresh.results.push_back(before.results[i]);
        }
    for (auto& step : fresh.steps)
        if (step.part >= out) steps.push_back(std::move(step));
    fresh.steps = std::move(steps);
    return fresh;
}

std::optional<PublishResult> publishedOf(const Progress& progress)
{
    std::optional<PublishResult> result;
    const bool isThread = std::ranges::any_of(progress.steps, [](const FixedStep& step) { return step.part > 0; });
    for (std::size_t i = 0; i < progress.results.size(); ++i)
    {
        if (progress.steps[i].kind != "post") continue;
        const auto& out = progress.results[i];
        if (!result) result = PublishResult{out.id, out.url, {}};
        if (isThread) result->parts.push_back({out.id, out.url});
    }
    return result;
}

} // namespace portico::social
