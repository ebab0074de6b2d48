#pragma once

#include "content/ContentItem.h"
#include "networks/Steps.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace portico::social
{

/// How far the publication of one revision of an item has come: what `Publications::saveProgress` stores. The step behind the last result
/// is the next one.
struct Progress
{
    std::int64_t revision = 0;
    /// Fixed before the first attempt; every attempt sends the same bytes.
    std::vector<FixedStep> steps;
    /// Of the steps that were carried out, in their order.
    std::vector<StepResult> results;
    /// The next step was sent, or was about to be, and its outcome is not known.
    bool sending = false;
    /// When the next step was sent first; empty: never.
    std::optional<Instant> firstAttemptAt;

    bool isDone() const noexcept { return results.size() >= steps.size(); }
    const FixedStep& next() const { return steps[results.size()]; }
};

constexpr auto schemaOf(const Progress*)
{
    return describe(members<&Progress::revision, &Progress::steps, &Progress::results, &Progress::sending, &Progress::firstAttemptAt>());
}

/// Returns the progress of an edited item: an edited thread goes on behind the parts that an earlier revision published.
Progress continued(const Progress& before, Progress fresh);

/// Returns the published parts for the item's result; empty: none.
std::optional<PublishResult> publishedOf(const Progress& progress);

} // namespace portico::social
