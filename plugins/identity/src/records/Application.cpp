#include "records/Application.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>

namespace portico::identity
{

ApplicationMail ApplicationMail::of(DeveloperStatus status, std::string reason, std::string link)
{
    using enum DeveloperStatus;
    ApplicationMail mail;
    mail.submitted = status == Submitted;
    mail.inReview = status == InReview;
    mail.needsInfo = status == NeedsInfo;
    mail.approved = status == Approved;
    mail.rejected = status == Rejected;
    mail.suspended = status == Suspended;
    mail.revoked = status == Revoked;
    mail.reason = std::move(reason);
    mail.link = std::move(link);
    return mail;
}

ApplicationMail ApplicationMail::of(SubmissionStatus status, std::string reason, std::string link)
{
    using enum SubmissionStatus;
    ApplicationMail mail;
    mail.submitted = status == Submitted;
    mail.inReview = status == InReview;
    mail.approved = status == Approved || status == Registered;
    mail.rejected = status == Rejected || status == Withdrawn;
    mail.reason = std::move(reason);
    mail.link = std::move(link);
    return mail;
}

std::string applicationLink(std::string_view origin, std::string_view id, std::string_view secret)
{
    return std::string(origin) + "/api/public/applications/" + std::string(id) + "?email_token=" + std::string(secret);
}

namespace review
{

namespace
{

constexpr const auto& tableOf(const Developer&) { return developerTable; }
constexpr const auto& tableOf(const AppSubmission&) { return appSubmissionTable; }

struct TransitionDetails
{
    std::string from;
    std::string to;
    std::vector<std::string> allowed;

    friend constexpr auto schemaOf(const TransitionDetails*)
    {
        return describe(members<&TransitionDetails::from, &TransitionDetails::to, &TransitionDetails::allowed>());
    }
};

template <class T, class S>
void write(Transaction& transaction, T& record, S to, std::string_view by, std::string_view reason, Instant now)
{
    record.history.push_back({std::string(toString(record.status)), std::string(toString(to)), std::string(by), now, std::string(reason)});
    record.status = to;
    record.statusReason = reason.empty() ? std::nullopt : std::optional(std::string(reason));
    if (const auto reviewer = UserId::parse(by)) record.reviewedBy = reviewer, record.reviewedAt = now;
    tableOf(record).update(transaction, record, {now});
}

template <class T, class S>
void moveOn(Transaction& transaction, T& record, S to, std::string_view by, std::string_view reason, Instant now)
{
    const auto allowed = nextOf(record.status);
    if (std::ranges::find(allowed, to) == allowed.end())
    {
        std::vector<std::string> names;
        for (const auto status : allowed) names.emplace_back(toString(status));
        throw invalidTransition(toString(record.status), toString(to), names);
    }
    write(transaction, record, to, by, reason, now);
}

} // namespace

std::span<const DeveloperStatus> nextOf(DeveloperStatus status) noexcept
{
    using enum DeveloperStatus;
    static constexpr std::array fromSubmitted = {InReview};
    static constexpr std::array fromInReview = {NeedsInfo, Approved, Rejected};
    static constexpr std::array fromApproved = {Suspended, Revoked};
    static constexpr std::array fromSuspended = {Approved, Revoked};
    switch (status)
    {
    case Submitted:
        return fromSubmitted;
    case InReview:
        return fromInReview;
    case Approved:
        return fromApproved;
    case Suspended:
        return fromSuspended;
    default:
        return {};
    }
}

std::span<const SubmissionStatus> nextOf(SubmissionStatus status) noexcept
{
    using enum SubmissionStatus;
    static constexpr std::array fromSubmitted = {InReview, Rejected, Withdrawn};
    static constexpr std::array fromInReview = {Approved, Rejected, Withdrawn};
    static constexpr std::array fromApproved = {Rejected, Withdrawn};
    switch (status)
    {
    case Submitted:
        return fromSubmitted;
    case InReview:
        return fromInReview;
    case Approved:
        return fromApproved;
    default:
        return {};
    }
}

void move(Transaction& transaction, Developer& developer, DeveloperStatus to, std::string_view by, std::string_view reason, Instant now)
{
    moveOn(transaction, developer, to, by, reason, now);
}

void move(Transaction& transaction, AppSubmission& submission, SubmissionStatus to, std::string_view by, std::string_view reason,
          Instant now)
{
    moveOn(transaction, submission, to, by, reason, now);
}

void force(Transaction& transaction, Developer& developer, DeveloperStatus to, std::string_view by, std::string_view reason, Instant now)
{
    write(transaction, developer, to, by, reason, now);
}

void force(Transaction& transaction, AppSubmission& submission, SubmissionStatus to, std::string_view by, std::string_view reason,
           Instant now)
{
    write(transaction, submission, to, by, reason, now);
}

Problem invalidTransition(std::string_view from, std::string_view to, const std::vector<std::string>& allowed)
{
    return Problem::conflict("invalid_transition", "This status change is not allowed: see details.allowed.")
        .withDetails(toJson(TransitionDetails{std::string(from), std::string(to), allowed}));
}

} // namespace review

} // namespace portico::identity
