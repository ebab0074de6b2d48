#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

enum class DeveloperStatus : std::uint8_t
{
    Submitted,
    InReview,
    NeedsInfo,
    Approved,
    Rejected,
    Suspended,
    Revoked
};

constexpr auto schemaOf(const DeveloperStatus*)
{
    using enum DeveloperStatus;
    return portico::choices<DeveloperStatus>({{"submitted", Submitted},
                                              {"in_review", InReview},
                                              {"needs_info", NeedsInfo},
                                              {"approved", Approved},
                                              {"rejected", Rejected},
                                              {"suspended", Suspended},
                                              {"revoked", Revoked}});
}

enum class SubmissionStatus : std::uint8_t
{
    Submitted,
    InReview,
    Approved,
    Registered,
    Rejected,
    Withdrawn
};

constexpr auto schemaOf(const SubmissionStatus*)
{
    using enum SubmissionStatus;
    return portico::choices<SubmissionStatus>({{"submitted", Submitted},
                                               {"in_review", InReview},
                                               {"approved", Approved},
                                               {"registered", Registered},
                                               {"rejected", Rejected},
                                               {"withdrawn", Withdrawn}});
}

/// One move of an application from one state to the next.
struct ReviewStep
{
    std::string from;
    std::string to;
    /// `usr_…`; empty: the applicant.
    std::string by;
    Instant at{};
    std::string note;
};

constexpr auto schemaOf(const ReviewStep*)
{
    return describe(members<&ReviewStep::from, &ReviewStep::to, &ReviewStep::by, &ReviewStep::at, &ReviewStep::note>());
}

/// Common members of applications: the applicant's token, and the review.
struct Application : Versioned
{
    std::optional<std::string> statusReason;
    std::optional<UserId> reviewedBy;
    std::optional<Instant> reviewedAt;
    std::vector<ReviewStep> history;
    /// Hash of the secret of the link that was mailed to the applicant last.
    std::string tokenHash;
    std::string locale;
};

constexpr auto schemaOf(const Application*)
{
    return describe(members<&Application::statusReason, &Application::reviewedBy, &Application::reviewedAt, &Application::history>(),
                    field<&Application::tokenHash>().columnOnly(), field<&Application::locale>().columnOnly(), versioned<Application>());
}

/// Developer who applies to build for the platform; one for each address.
struct Developer : Application
{
    DeveloperId id;
    std::string applicantName;
    std::string email;
    std::string company;
    std::string website;
    std::string useCase;
    std::string country;
    std::optional<std::int64_t> expectedUsers;
    DeveloperStatus status = DeveloperStatus::Submitted;
    std::optional<OrganizationId> workspaceOrganizationId;
    Instant submittedAt{};
    std::string emailKey;
};

constexpr auto schemaOf(const Developer*)
{
    return describe(members<&Developer::id, &Developer::applicantName, &Developer::email, &Developer::company, &Developer::website,
                            &Developer::useCase, &Developer::country, &Developer::expectedUsers, &Developer::status,
                            &Developer::workspaceOrganizationId, &Developer::submittedAt>(),
                    field<&Developer::emailKey>().columnOnly(), inherited<Application>());
}

inline constexpr GlobalTable developerTable{"developers", &Developer::id};

/// Scopes that an app asks for in one service.
struct RequestedScopes
{
    std::string serviceId;
    std::vector<std::string> scopes;
};

constexpr auto schemaOf(const RequestedScopes*)
{
    return describe(field<&RequestedScopes::serviceId>("service_id").required().maxLength(40),
                    field<&RequestedScopes::scopes>().required().maxItems(100));
}

/// An app that a developer wants on the platform.
struct AppSubmission : Application
{
    AppSubmissionId id;
    std::string developerEmail;
    std::string appName;
    std::string slug;
    std::string summary;
    std::string description;
    std::string homepageUrl;
    std::optional<std::string> repositoryUrl;
    std::vector<std::string> callbackUrls;
    std::vector<RequestedScopes> requestedScopes;
    std::string surfaceKind;
    std::string contact;
    SubmissionStatus status = SubmissionStatus::Submitted;
    Instant submittedAt{};
    std::string emailKey;
};

constexpr auto schemaOf(const AppSubmission*)
{
    return describe(members<&AppSubmission::id, &AppSubmission::developerEmail, &AppSubmission::appName, &AppSubmission::slug,
                            &AppSubmission::summary, &AppSubmission::description, &AppSubmission::homepageUrl,
                            &AppSubmission::repositoryUrl, &AppSubmission::callbackUrls, &AppSubmission::requestedScopes>(),
                    field<&AppSubmission::surfaceKind>("surface_kind"),
                    members<&AppSubmission::contact, &AppSubmission::status, &AppSubmission::submittedAt>(),
                    field<&AppSubmission::emailKey>().columnOnly(), inherited<Application>());
}

inline constexpr GlobalTable appSubmissionTable{"app_submissions", &AppSubmission::id};

/// Mail to an applicant, `mail/application`: one of the states, and for an app its name.
struct ApplicationMail
{
    std::string appName;
    bool submitted = false;
    bool inReview = false;
    bool needsInfo = false;
    bool approved = false;
    bool rejected = false;
    bool suspended = false;
    bool revoked = false;
    std::string reason;
    std::string link;

    static ApplicationMail of(DeveloperStatus status, std::string reason, std::string link);
    static ApplicationMail of(SubmissionStatus status, std::string reason, std::string link);
};

constexpr auto schemaOf(const ApplicationMail*)
{
    return describe(members<&ApplicationMail::appName, &ApplicationMail::submitted, &ApplicationMail::inReview, &ApplicationMail::needsInfo,
                            &ApplicationMail::approved, &ApplicationMail::rejected, &ApplicationMail::suspended, &ApplicationMail::revoked,
                            &ApplicationMail::reason, &ApplicationMail::link>());
}

/// Returns the page on which the applicant sees the application's status. The secret of the link is not stored.
std::string applicationLink(std::string_view origin, std::string_view id, std::string_view secret);

/// The states of applications, and how they come from one to the next.
namespace review
{
/// Returns the statuses that a reviewer may set next.
std::span<const DeveloperStatus> nextOf(DeveloperStatus status) noexcept;
std::span<const SubmissionStatus> nextOf(SubmissionStatus status) noexcept;

/// Changes the status of a record, appends the step to its history, and writes it under the next version.
/// @param by empty: the applicant
/// @throws Problem 409 `invalid_transition` with `from`, `to` and `allowed` in `details`; 412 if a concurrent request was first
void move(Transaction& transaction, Developer& developer, DeveloperStatus to, std::string_view by, std::string_view reason, Instant now);
void move(Transaction& transaction, AppSubmission& submission, SubmissionStatus to, std::string_view by, std::string_view reason,
          Instant now);
/// Changes the status without the reviewers' rules: for actions of the applicant, and for consequences of other changes.
void force(Transaction& transaction, Developer& developer, DeveloperStatus to, std::string_view by, std::string_view reason, Instant now);
void force(Transaction& transaction, AppSubmission& submission, SubmissionStatus to, std::string_view by, std::string_view reason,
           Instant now);
/// 409 `invalid_transition`.
Problem invalidTransition(std::string_view from, std::string_view to, const std::vector<std::string>& allowed);
} // namespace review

} // namespace portico::identity
