#pragma once

#include "common/Core.h"
#include "common/Names.h"
#include "human/HumanVerification.h"
#include "mails/Mails.h"
#include "records/Application.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

namespace portico::identity
{

struct DeveloperInput
{
    std::string applicantName;
    std::string email;
    std::string company;
    std::string website;
    std::string country;
    std::string useCase;
    std::optional<std::int64_t> expectedUsers;
    bool acceptTerms = false;
    /// Token of the link in the last mail. Its holder answers questions about the application.
    std::string emailToken;
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const DeveloperInput*)
{
    return describe(named(field<&DeveloperInput::applicantName>().required().trimmed().maxLength(120)),
                    field<&DeveloperInput::email>().required().email(), named(field<&DeveloperInput::company>().trimmed().maxLength(120)),
                    field<&DeveloperInput::website>().uri(), named(field<&DeveloperInput::country>().trimmed().maxLength(80)),
                    field<&DeveloperInput::useCase>().required().trimmed().maxLength(4000),
                    field<&DeveloperInput::expectedUsers>().range(0, 1'000'000'000), field<&DeveloperInput::acceptTerms>().required(),
                    field<&DeveloperInput::emailToken>("email_token").maxLength(100), field<&DeveloperInput::humanVerification>());
}

struct AppSubmissionInput
{
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
    std::optional<HumanProof> humanVerification;
};

constexpr auto schemaOf(const AppSubmissionInput*)
{
    return describe(field<&AppSubmissionInput::developerEmail>().required().email(),
                    named(field<&AppSubmissionInput::appName>().required().trimmed().maxLength(80)),
                    field<&AppSubmissionInput::slug>().required().maxLength(40),
                    named(field<&AppSubmissionInput::summary>().required().trimmed().maxLength(200)),
                    field<&AppSubmissionInput::description>().required().trimmed().maxLength(8000),
                    field<&AppSubmissionInput::homepageUrl>().required().uri(), field<&AppSubmissionInput::repositoryUrl>().uri(),
                    field<&AppSubmissionInput::callbackUrls>().required().minItems(1).maxItems(20),
                    field<&AppSubmissionInput::requestedScopes>().required().maxItems(50),
                    field<&AppSubmissionInput::surfaceKind>("surface_kind").required().maxLength(20),
                    named(field<&AppSubmissionInput::contact>().required().trimmed().maxLength(254)),
                    field<&AppSubmissionInput::humanVerification>());
}

/// Answer to every application of an address, the first and all later ones.
struct ApplicationReceipt
{
    DeveloperId applicationId;
    DeveloperStatus status = DeveloperStatus::Submitted;
};

constexpr auto schemaOf(const ApplicationReceipt*)
{
    return describe(members<&ApplicationReceipt::applicationId, &ApplicationReceipt::status>());
}

struct SubmissionReceipt
{
    AppSubmissionId submissionId;
    SubmissionStatus status = SubmissionStatus::Submitted;
};

constexpr auto schemaOf(const SubmissionReceipt*)
{
    return describe(members<&SubmissionReceipt::submissionId, &SubmissionReceipt::status>());
}

struct ApplicationQuery
{
    std::string emailToken;
};

constexpr auto schemaOf(const ApplicationQuery*)
{
    return describe(field<&ApplicationQuery::emailToken>("email_token").required().maxLength(100));
}

struct ApplicationState
{
    std::string status;
    std::optional<std::string> statusReason;
    Instant updatedAt{};
};

constexpr auto schemaOf(const ApplicationState*)
{
    return describe(members<&ApplicationState::status, &ApplicationState::statusReason, &ApplicationState::updatedAt>());
}

/// Public part of the developer program: developers apply here without an account. Answers do not reveal whether an address has applied
/// before.
class IntakeRoutes
{
public:
    explicit IntakeRoutes(Core& core);
    void declare(Routes& routes);

    Reply<ApplicationReceipt> apply(const Request& request, const Body<DeveloperInput>& input);
    Reply<SubmissionReceipt> submitApp(const Request& request, const Body<AppSubmissionInput>& input);
    ApplicationState status(const Path<std::string>& id, const Query<ApplicationQuery>& query);

private:
    /// Checks a form without sign-in: requires human verification, and limits the forms of a client.
    void admit(const Request& request, const RateLimit& limit, HumanPurpose purpose, const std::optional<HumanProof>& proof);
    /// Limits mails to one address, however often it is entered.
    void write(Session& session, std::string_view address, std::string_view locale, const ApplicationMail& mail);
    bool mayWrite(std::string_view address) const;

    Core& _core;
    RateLimit _applications;
    RateLimit _submissions;
    RateLimit _perAddress;
    MailTemplate<ApplicationMail> _received;
};

} // namespace portico::identity
