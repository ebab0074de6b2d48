#include "developers/IntakeRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "common/Ids.h"
#include "common/Networks.h"
#include "users/User.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/Templates.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::identity
{

namespace
{

constexpr std::int64_t mailsPerHour = 3;

constexpr std::array<std::string_view, 4> surfaceKinds = {"application", "api", "runtime", "internal"};

/// Returns true for a valid redirect address.
bool isCallback(std::string_view url) { return isWebUrl(url) && url.starts_with("https:") && url.find('#') == std::string_view::npos; }

void check(const DeveloperInput& input)
{
    if (!input.acceptTerms) throw Problem::invalid("acceptTerms", "required", "The terms must be accepted.");
}

void checkScopes(const Catalog& catalog, const std::vector<RequestedScopes>& requested, std::vector<FieldError>& errors)
{
    for (std::size_t i = 0; i < requested.size(); ++i)
    {
        const auto place = "requestedScopes[" + std::to_string(i) + ']';
        const auto* service = catalog.find(requested[i].serviceId);
        if (!service || !service->active())
        {
            errors.push_back({place + ".service_id", "unknown_service", "There is no such service."});
            continue;
        }
        for (std::size_t k = 0; k < requested[i].scopes.size(); ++k)
            if (!service->scope(requested[i].scopes[k]))
                errors.push_back({place + ".scopes[" + std::to_string(k) + ']', "unknown_scope", "The service has no such scope."});
    }
}

void check(const Catalog& catalog, const AppSubmissionInput& input)
{
    std::vector<FieldError> errors;
    if (!isServiceId(input.slug))
        errors.push_back({"slug", "invalid_slug", "Expected 2 to 40 lower-case letters, digits and hyphens, a letter first."});
    if (std::ranges::find(surfaceKinds, input.surfaceKind) == surfaceKinds.end())
        errors.push_back({"surface_kind", "invalid_choice", "Use application, api, runtime or internal."});
    for (std::size_t i = 0; i < input.callbackUrls.size(); ++i)
        if (!isCallback(input.callbackUrls[i]))
            errors.push_back({"callbackUrls[" + std::to_string(i) + ']', "invalid_url", "Expected a whole https URL without a fragment."});
    checkScopes(catalog, input.requestedScopes, errors);
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

/// Overwrites the record with the input.
void fill(Developer& developer, const DeveloperInput& input, Instant now)
{
    developer.applicantName = input.applicantName;
    developer.company = input.company;
    developer.website = input.website;
    developer.country = input.country;
    developer.useCase = input.useCase;
    developer.expectedUsers = input.expectedUsers;
    developer.submittedAt = now;
}

ApplicationState stateOf(std::string_view status, const Application& application)
{
    return {std::string(status), application.statusReason, application.updatedAt};
}

} // namespace

IntakeRoutes::IntakeRoutes(Core& core)
    : _core(core),
      _applications(core.state, core.clock, {"developer-applications", core.settings.formsPerHour, std::chrono::hours(1)}),
      _submissions(core.state, core.clock, {"app-submissions", core.settings.formsPerHour, std::chrono::hours(1)}),
      _perAddress(core.state, core.clock, {"developer-mails", mailsPerHour, std::chrono::hours(1)}),
      _received(core.mails.bind<ApplicationMail>("application"))
{
}

void IntakeRoutes::declare(Routes& routes)
{
    const std::vector<std::string_view> problems = {"428 human_verification_required", "400 human_verification_failed",
                                                    "409 challenge_replayed", "429 rate_limited"};
    routes
        .post("/api/public/developers/apply", access::open(), &IntakeRoutes::apply, this,
              {.summary = "Apply to the developer programme", .execution = Execution::Heavy, .problems = problems, .statuses = {202}})
        .post("/api/public/app-submissions", access::open(), &IntakeRoutes::submitApp, this,
              {.summary = "Submit an app for review", .execution = Execution::Heavy, .problems = problems, .statuses = {202}})
        .get("/api/public/applications/{id}", access::open(), &IntakeRoutes::status, this,
             {.summary = "Read the status of an application by its mailed token"});
}

void IntakeRoutes::admit(const Request& request, const RateLimit& limit, HumanPurpose purpose, const std::optional<HumanProof>& proof)
{
    limit.require(clientNetwork(request.clientAddress));
    _core.human.require(request, purpose, proof);
}

void IntakeRoutes::write(Session& session, std::string_view address, std::string_view locale, const ApplicationMail& mail)
{
    _received.send(session, {std::string(address), {}, std::string(locale)}, mail);
}

bool IntakeRoutes::mayWrite(std::string_view address) const { return _perAddress.count(emailKey(address)).allowed; }

Reply<ApplicationReceipt> IntakeRoutes::apply(const Request& request, const Body<DeveloperInput>& input)
{
    check(*input);
    admit(request, _applications, HumanPurpose::DeveloperApply, input->humanVerification);
    const auto secret = randomToken();
    const auto now = _core.clock.now();
    // Creates a new id for each answer, because the record's id would reveal when the address first applied.
    const ApplicationReceipt receipt{DeveloperId::make(now)};
    const auto enter = [&](Transaction& transaction)
    {
        auto developer = developerTable.select().where(&Developer::emailKey, emailKey(input->email)).first(transaction);
        const bool isNew = !developer;
        if (isNew)
        {
            developer.emplace();
            developer->id = receipt.applicationId;
            developer->email = input->email;
            developer->emailKey = emailKey(input->email);
            developer->createdAt = developer->updatedAt = now;
            fill(*developer, *input, now);
        }
        // A request with another person's address neither invalidates their link nor acts for them.
        const bool holdsLink = !isNew && sameSecret(developer->tokenHash, sha256(input->emailToken).hex());
        const bool mailed = mayWrite(developer->email);
        if (mailed || isNew) developer->tokenHash = sha256(secret).hex();
        developer->locale = _core.templates.localeFor(request.header("Accept-Language"));
        if (isNew)
            developerTable.insert(transaction, *developer);
        else if (developer->status == DeveloperStatus::NeedsInfo && holdsLink)
        {
            fill(*developer, *input, now);
            review::force(transaction, *developer, DeveloperStatus::Submitted, {}, {}, now);
        }
        else if (mailed)
            developerTable.set(transaction, developer->id, &Developer::tokenHash, developer->tokenHash, &Developer::locale,
                               developer->locale);
        if (mailed)
            write(transaction, developer->email, developer->locale,
                  ApplicationMail::of(developer->status, {}, applicationLink(_core.origin, developer->id.text(), secret)));
        AuditLog::anonymous(Client::of(request), now)
            .record(transaction, "developer.applied", developer->id, {{"status", developer->status}});
    };
    try
    {
        _core.database.transact(enter);
    }
    catch (const DatabaseError& error)
    {
        // The same address came in beside this one: now it is there.
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        _core.database.transact(enter);
    }
    return {receipt, 202};
}

Reply<SubmissionReceipt> IntakeRoutes::submitApp(const Request& request, const Body<AppSubmissionInput>& input)
{
    check(*_core.catalog.snapshot(), *input);
    admit(request, _submissions, HumanPurpose::AppSubmission, input->humanVerification);
    const auto secret = randomToken();
    const auto now = _core.clock.now();
    AppSubmission submission;
    submission.id = AppSubmissionId::make(now);
    submission.developerEmail = input->developerEmail;
    submission.emailKey = emailKey(input->developerEmail);
    submission.appName = input->appName;
    submission.slug = input->slug;
    submission.summary = input->summary;
    submission.description = input->description;
    submission.homepageUrl = input->homepageUrl;
    submission.repositoryUrl = input->repositoryUrl;
    submission.callbackUrls = input->callbackUrls;
    submission.requestedScopes = input->requestedScopes;
    submission.surfaceKind = input->surfaceKind;
    submission.contact = input->contact;
    submission.submittedAt = submission.createdAt = submission.updatedAt = now;
    submission.tokenHash = sha256(secret).hex();
    submission.locale = _core.templates.localeFor(request.header("Accept-Language"));
    _core.database.transact(
        [&](Transaction& transaction)
        {
            appSubmissionTable.insert(transaction, submission);
            auto mail = ApplicationMail::of(submission.status, {}, applicationLink(_core.origin, submission.id.text(), secret));
            mail.appName = submission.appName;
            if (mayWrite(submission.developerEmail)) write(transaction, submission.developerEmail, submission.locale, mail);
            AuditLog::anonymous(Client::of(request), now).record(transaction, "app.submitted", submission.id);
        });
    return {{submission.id}, 202};
}

ApplicationState IntakeRoutes::status(const Path<std::string>& id, const Query<ApplicationQuery>& query)
{
    auto session = _core.database.session();
    const auto opens = [hash = sha256(query->emailToken).hex()](const Application& application)
    { return sameSecret(application.tokenHash, hash); };
    const auto developerId = DeveloperId::parse(*id);
    if (const auto developer = developerId ? developerTable.find(session, *developerId) : std::nullopt; developer && opens(*developer))
        return stateOf(toString(developer->status), *developer);
    const auto submissionId = AppSubmissionId::parse(*id);
    if (const auto submission = submissionId ? appSubmissionTable.find(session, *submissionId) : std::nullopt;
        submission && opens(*submission))
        return stateOf(toString(submission->status), *submission);
    throw Problem::notFound();
}

} // namespace portico::identity
