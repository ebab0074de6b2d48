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
    return describe(field<&A::attemptId>().column("id"), members<&A::brandId, &A::contentId, &A::postId, &A::number>(),
                    field<&A::trigger>().column("trigger_kind"),
                    members<&A::startedAt, &A::finishedAt, &A::outcome, &A::httpStatus, &A::platformCode, &A::message, &A::nextAttemptAt>(),
                    field<&A::requestDigest>().description("SHA-256 of the outgoing body"));
}

inline constexpr Table attemptTable{"publish_attempt", &PublishAttempt::brandId, &PublishAttempt::contentId, &PublishAttempt::number};

} // namespace portico::social
