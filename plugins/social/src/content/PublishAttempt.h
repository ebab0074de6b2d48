#pragma once

#include "content/ContentItem.h"

namespace portico::social
{

/// One attempt to publish an item. A row, and what callers read.
struct PublishAttempt
{
    AttemptId attemptId;
    BrandId brandId;
    ContentId contentId;
    PostId postId;
    /// From 1.
    std::int64_t number = 1;
    Trigger trigger = Trigger::Schedule;
    Instant startedAt{};
    std::optional<Instant> finishedAt;
    AttemptOutcome outcome = AttemptOutcome::Running;
    std::optional<std::int64_t> httpStatus;
    std::string platformCode;
    /// At most 500 characters; never a secret.
    std::string message;
    std::optional<Instant> nextAttemptAt;
    /// SHA-256 of the outgoing body; empty: nothing was sent.
    std::string requestDigest;
    bool operator==(const PublishAttempt&) const = default;
};

constexpr auto schemaOf(const PublishAttempt*)
{
    using A = PublishAttempt;
    return describe(field("attemptId", &A::attemptId).column("id"), field("brandId", &A::brandId), field("contentId", &A::contentId),
                    field("postId", &A::postId), field("number", &A::number), field("trigger", &A::trigger).column("trigger_kind"),
                    field("startedAt", &A::startedAt), field("finishedAt", &A::finishedAt), field("outcome", &A::outcome),
                    field("httpStatus", &A::httpStatus), field("platformCode", &A::platformCode), field("message", &A::message),
                    field("nextAttemptAt", &A::nextAttemptAt),
                    field("requestDigest", &A::requestDigest).description("SHA-256 of the outgoing body"));
}

inline constexpr Table attemptTable{"publish_attempt", &PublishAttempt::brandId, &PublishAttempt::contentId, &PublishAttempt::number};

} // namespace portico::social
