#pragma once

#include "content/ContentItem.h"
#include "networks/Steps.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Progress of publishing one revision of an item, as stored by `Publications::saveProgress`. The step after the last result is the next
/// one.
struct Progress
{
    std::int64_t revision = 0;
    /// Fixed before the first attempt; every attempt sends the same bytes.
    std::vector<FixedStep> steps;
    /// Results of the completed steps, in order.
    std::vector<StepResult> results;
    /// True if the next step was sent, or was about to be, and its outcome is unknown. False while the item is `verifying`, or if it failed
    /// with `outcome_unknown`.
    bool sending = false;
    /// Time of the next step's first attempt; empty: none.
    std::optional<Instant> firstAttemptAt;
    /// When `sending` last became true. The life of the key and the period of a look-up begin then: after a decision to send the step
    /// again, earlier attempts do not count.
    std::optional<Instant> sendingSince;
    /// Hash that identifies the account at its network, also after it was disconnected and connected again. Empty: an earlier version
    /// stored the steps.
    std::string account;

    bool isDone() const noexcept { return results.size() >= steps.size(); }
    const FixedStep& next() const { return steps[results.size()]; }
};

constexpr auto schemaOf(const Progress*)
{
    return describe(members<&Progress::revision, &Progress::steps, &Progress::results, &Progress::sending, &Progress::firstAttemptAt,
                            &Progress::sendingSince, &Progress::account>());
}

/// Returns the progress of an edited item: an edited thread continues after the parts that an earlier revision published.
Progress continued(const Progress& before, Progress fresh);

/// Returns the published parts for the item's result; empty: none.
std::optional<PublishResult> publishedOf(const Progress& progress);

} // namespace portico::social
