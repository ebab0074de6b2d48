#pragma once

#include "audit/AuditEvent.h"
#include "content/ContentItem.h"
#include "content/PublishAttempt.h"
#include "content/SafeActions.h"

#include "portico/Caller.h"

namespace portico::social
{

/// When something happened to an item.
struct ItemTimestamps
{
    Instant createdAt{};
    std::optional<Instant> lastEditedAt, submittedAt, approvedAt, rejectedAt, scheduledAt, lastRescheduledAt, publishStartedAt, publishedAt,
        failedAt, cancelledAt;
};
constexpr auto schemaOf(const ItemTimestamps*)
{
    using T = ItemTimestamps;
    return describe(members<&T::createdAt, &T::lastEditedAt, &T::submittedAt, &T::approvedAt, &T::rejectedAt>(),
                    field<&T::scheduledAt>().description("Time at which the item first entered the queue"),
                    members<&T::lastRescheduledAt, &T::publishStartedAt, &T::publishedAt, &T::failedAt, &T::cancelledAt>());
}

struct AttemptCounts
{
    /// Automatic retries since the last start by time or by a person.
    std::int64_t automatic = 0;
    std::int64_t total = 0;
    std::optional<Instant> nextAttemptAt;
};
constexpr auto schemaOf(const AttemptCounts*)
{
    return describe(members<&AttemptCounts::automatic, &AttemptCounts::total, &AttemptCounts::nextAttemptAt>());
}

/// An item as a caller sees it: the members that the description names. Members that no PATCH changes are accepted there and ignored.
struct ItemView : ContentItem
{
    /// Only in requests: `next`.
    std::optional<std::string> slot;
    ItemTimestamps timestamps;
    AttemptCounts attempts;
    std::vector<SafeAction> safeActions;
    std::optional<std::vector<PublishAttempt>> attemptList;
    std::optional<std::vector<AuditEvent>> events;
};

bool isNextSlot(std::string_view text);

constexpr auto schemaOf(const ItemView*)
{
    using I = ItemView;
    return describe(field<&I::contentId>().readOnly(), field<&I::brandId>().readOnly(), field<&I::kind>().readOnly(),
                    field<&I::postId>().readOnly(), field<&I::targetId>().readOnly(), field<&I::integrationId>(),
                    field<&I::platform>().readOnly(), field<&I::text>().maxLength(100'000), field<&I::mediaIds>().maxItems(20),
                    field<&I::altTexts>().description("Texts by the ID of the file"), field<&I::thread>().readOnly(),
                    field<&I::linkUrl>().maxLength(2000), field<&I::settings>(), field<&I::approvalState>().readOnly(),
                    field<&I::publishStatus>().readOnly(), field<&I::blockedReason>().readOnly(), field<&I::scheduledFor>(),
                    field<&I::slot>().writeOnly().matches(isNextSlot, "invalid_slot", "next"), field<&I::timestamps>().readOnly(),
                    field<&I::approvals>().readOnly(),
                    field<&I::approvalSteps>().readOnly().description("Number of required approvals; 0 for none"),
                    field<&I::failure>().readOnly(), field<&I::attempts>().readOnly(), field<&I::result>().readOnly(),
                    field<&I::source>().readOnly(), field<&I::generator>().readOnly(), field<&I::expiresAt>().readOnly(),
                    field<&I::safeActions>().readOnly(), field<&I::revision>().readOnly(), field<&I::createdBy>().readOnly(),
                    field<&I::attemptList>().readOnly().omitEmpty().description("Present with `include=attempts`"),
                    field<&I::events>().readOnly().omitEmpty().description("Present with `include=events`"), versioned<I>());
}

ItemView viewOf(const ContentItem& item, const Rights& rights);
Rights rightsOf(const Caller& caller);

} // namespace portico::social
