#pragma once

#include "content/BrandContent.h"

#include "portico/TimeZones.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// The last instant for which a post can be scheduled: two years ahead.
Instant lastSchedule(Instant now);

/// Checks a time that a caller sent. @throws Problem 400 `in_past`, `too_far`
void requireTime(Instant time, Instant now);

/// Returns the requested time: `scheduledFor`, or with `slot` the first time of the brand's plan that is free for all accounts.
/// Empty: neither was sent. @throws Problem 400 `in_past`, `too_far`, `no_slot_plan`, `validation_failed` for both; 409 `no_free_slot`
std::optional<Instant> requestedTime(const BrandContent& content, const TimeZones& zones, const std::optional<Instant>& scheduledFor,
                                     bool slot, const std::vector<IntegrationId>& accounts);

/// Reserves a time of the plan, so that no other item of the account gets it.
void takeSlot(const BrandContent& content, const ContentItem& item, Instant time);

} // namespace portico::social
