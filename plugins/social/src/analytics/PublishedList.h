#pragma once

#include "analytics/NumbersRow.h"
#include "content/ContentItem.h"

#include "portico/LocalDate.h"
#include "portico/TimeZone.h"

#include <string>
#include <vector>

namespace portico::social
{

/// Which published items are counted.
struct PublishedChoice
{
    Instant from{};
    /// The first instant after the range.
    Instant until{};
    std::vector<Platform> platforms;
    /// Empty: every one.
    std::string label;
};

/// A published item with its numbers and the labels of its post.
struct PublishedItem
{
    NumbersRow numbers;
    std::vector<std::string> labels;
};

/// Published items of a brand in a range, at most 5,000, the newest first. An item without numbers has none yet.
std::vector<PublishedItem> publishedItems(Session& session, Tenant tenant, const BrandId& brand, const PublishedChoice& choice);

/// Returns the range of two dates in a zone, both included. @throws Problem 400 `validation_failed` for a wrong order or more than 366 days
PublishedChoice rangeOf(const TimeZone& zone, LocalDate from, LocalDate to);

} // namespace portico::social
