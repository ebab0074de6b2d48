#pragma once

#include "common/Core.h"
#include "developers/Workspaces.h"
#include "mails/Mails.h"
#include "records/Application.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct DeveloperFilterQuery
{
    std::vector<DeveloperStatus> status;
    std::string q;
};

constexpr auto schemaOf(const DeveloperFilterQuery*)
{
    return describe(field<&DeveloperFilterQuery::status>(), field<&DeveloperFilterQuery::q>().maxLength(100));
}

struct SubmissionFilterQuery
{
    std::vector<SubmissionStatus> status;
};

constexpr auto schemaOf(const SubmissionFilterQuery*) { return describe(field<&SubmissionFilterQuery::status>()); }

/// A developer with the apps that came from the same address.
struct DeveloperFile : Developer
{
    std::vector<AppSubmission> submissions;
};

constexpr auto schemaOf(const DeveloperFile*)
{
    return describe(schemaOf(static_cast<const Developer*>(nullptr)), field<&DeveloperFile::submissions>());
}

struct DeveloperReviewInput
{
    DeveloperStatus status = DeveloperStatus::InReview;
    std::string reason;
    /// True if the applicant is notified.
    bool notify = true;
};

constexpr auto schemaOf(const DeveloperReviewInput*)
{
    return describe(field<&DeveloperReviewInput::status>().required(), field<&DeveloperReviewInput::reason>().trimmed().maxLength(2000),
                    field<&DeveloperReviewInput::notify>());
}

struct SubmissionReviewInput
{
    SubmissionStatus status = SubmissionStatus::InReview;
    std::string reason;
};

constexpr auto schemaOf(const SubmissionReviewInput*)
{
    return describe(field<&SubmissionReviewInput::status>().required(), field<&SubmissionReviewInput::reason>().trimmed().maxLength(2000));
}

/// Part of the developer program for operators: reviews applications, developers and apps.
class ReviewRoutes
{
public:
    ReviewRoutes(Core& core, Workspaces& workspaces);
    void declare(Routes& routes);

    Page<Developer> developerList(const Query<DeveloperFilterQuery>& filter, const Paging& paging) const;
    DeveloperFile show(const Path<DeveloperId>& id) const;
    /// Approval creates the developer's workspace; suspension and revocation also apply to it.
    Developer reviewDeveloper(const Caller& caller, const Request& request, const Path<DeveloperId>& id,
                              const Body<DeveloperReviewInput>& input, const IfMatch& match);
    Page<AppSubmission> submissionList(const Query<SubmissionFilterQuery>& filter, const Paging& paging) const;
    AppSubmission reviewSubmission(const Caller& caller, const Request& request, const Path<AppSubmissionId>& id,
                                   const Body<SubmissionReviewInput>& input, const IfMatch& match);

private:
    Core& _core;
    Workspaces& _workspaces;
    MailTemplate<ApplicationMail> _moved;
};

} // namespace portico::identity
