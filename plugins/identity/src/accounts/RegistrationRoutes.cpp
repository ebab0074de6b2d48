#include "accounts/RegistrationRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "organizations/DomainRoutes.h"
#include "organizations/Founding.h"
#include "organizations/Invitations.h"
#include "sessions/Cookies.h"
#include "signin/ReturnTarget.h"
#include "users/PasswordRules.h"
#include "users/Passwords.h"
#include "users/ProfileRules.h"
#include "web/AccountPaths.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

Problem proofExpired() { return Problem::gone("token_expired", "This link or code is not right, was used before, or is too old."); }

User userOf(const RegistrationInput& input, std::string_view locale, const std::string& passwordHash, const std::string& key, Instant now)
{
    User user;
    user.id = UserId::make(now);
    user.email = input.email;
    user.emailKey = key;
    user.displayName = input.displayName;
    user.locale = locale;
    user.passwordHash = passwordHash;
    user.createdAt = user.updatedAt = now;
    return user;
}

/// Repeats the work if a concurrent request has created the same account.
template <class F>
auto retryRace(const F& work)
{
    try
    {
        return work();
    }
    catch (const DatabaseError& error)
    {
        if (error.kind() != DatabaseError::Kind::UniqueViolation) throw;
        return work();
    }
}

template <class T>
RegistrationAnswer answerOf(const T& record)
{
    return {Json{toJson(record)}};
}

} // namespace

void RegistrationRoutes::declare(Routes& routes)
{
    const RouteOptions registration{.summary = "Register an account",
                                    .onEveryOrigin = true,
                                    .execution = Execution::Heavy,
                                    .idempotencyKey = false,
                                    .problems = {"400 password_too_short", "400 password_too_long", "400 password_breached",
                                                 "400 password_contains_context_word", "400 human_verification_failed",
                                                 "400 developer_workspace_requires_organization", "403 registration_closed",
                                                 "403 invitation_email_mismatch", "409 challenge_replayed", "410 invitation_expired",
                                                 "428 human_verification_required"},
                                    .statuses = {201, 202}};
    routes.post("/api/auth/register", access::open(), &RegistrationRoutes::registerUser, this, registration)
        .post("/api/auth/email/verify", access::open(), &RegistrationRoutes::verify, this,
              {.summary = "Verify an e-mail address by the link or the code of the mail",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"410 token_expired"}})
        .post("/api/auth/email/verification", access::open(), &RegistrationRoutes::resend, this,
              {.summary = "Send the mail of a registration again",
               .onEveryOrigin = true,
               .idempotencyKey = false,
               .problems = {"400 human_verification_failed", "409 challenge_replayed", "428 human_verification_required"},
               .statuses = {202}});
}

void RegistrationRoutes::check(const Request& request, const RegistrationInput& input, std::string_view serviceId) const
{
    if (!_core.settings.accounts.registrationOpen && input.invitationToken.empty())
        throw Problem::forbidden("registration_closed", "Registration requires an invitation.");
    if (!isOwnOrigin(request) && serviceId != request.originService)
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    const auto catalog = _core.catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (!service || !service->active()) throw Problem::invalid("service_id", "unknown_service", "There is no such service.");
    if (!input.acceptTerms) throw Problem::invalid("acceptTerms", "required", "The terms have to be accepted.");
    if (input.developerWorkspace && !input.createOrganization)
        throw Problem::badRequest("developer_workspace_requires_organization", "A developer workspace is an organization: ask for both.");
    if (!input.locale.empty() && !profile_rules::isLanguage(input.locale))
        throw Problem::invalid("locale", "invalid_locale", "Expected a language tag such as en or de-AT");
    _core.passwordRules.check(input.password,
                              {std::string_view(input.email).substr(0, input.email.find('@')), input.displayName, input.organizationName});
}

Reply<RegistrationAnswer> RegistrationRoutes::registerUser(const Request& request, const Body<RegistrationInput>& input)
{
    const bool bindsBrowser = _core.cookies.wanted(request) && isOwnOrigin(request);
    const auto serviceId = input->serviceId.empty() ? requestedService(request) : input->serviceId;
    check(request, *input, serviceId);
    _limits.countRegistration(request.clientAddress);
    _core.human.require(request, HumanPurpose::Register, input->humanVerification);

    Reply<RegistrationAnswer> reply{.record = answerOf(RegistrationAccepted{}), .status = 202};
    Wish desired{*input, input->locale, passwords::hash(input->password), serviceId, {}, {}, Client::of(request)};
    if (!returnFault(_core, *_core.catalog.snapshot(), serviceId, input->returnTo)) desired.returnTo = input->returnTo;
    if (desired.locale.empty()) desired.locale = _core.templates.localeFor(request.header("Accept-Language"));
    if (bindsBrowser)
    {
        const auto known = _core.cookies.preLogin(request);
        const auto mark = known.empty() ? randomToken() : std::string(known);
        desired.browserMark = sha256(mark).hex();
        reply.cookies.push_back(_core.cookies.setPreLogin(mark));
    }
    if (!input->invitationToken.empty())
        if (const auto user = join(desired)) return welcome(request, *user, serviceId);
    desired.tooOften = !_limits.mayRegister(input->email);
    retryRace([&] { _core.database.transact([&](Transaction& transaction) { store(transaction, desired); }); });
    return reply;
}

void RegistrationRoutes::store(Transaction& transaction, const Wish& desired)
{
    const auto now = _core.clock.now();
    const auto known = users::findByEmail(transaction, desired.input.email);
    const bool taken = known && known->status != UserStatus::PendingVerification;
    const auto key = emailKey(desired.input.email);
    const bool rehearses = taken || desired.tooOften;
    // For an address that has an account all is done as for another, and then undone: the time does not tell.
    if (rehearses) transaction.execute("SAVEPOINT rehearsal");
    auto registration = rehearses ? write(transaction, desired, std::nullopt, "rehearsal " + key) : write(transaction, desired, known, key);
    // The owner of the mailbox sets the password of an account that an operator made, on the page that the link opens.
    if (!rehearses && known && !known->passwordHash)
    {
        registration.passwordHash.clear();
        registration.displayName = known->displayName;
    }
    const auto token = email_proofs::issueRegistration(transaction, _core, desired.input.email, registration);
    if (rehearses) transaction.execute("ROLLBACK TO SAVEPOINT rehearsal");
    if (desired.tooOften) AuditLog::anonymous(desired.client, now, desired.serviceId).refused(transaction, "user.registration_refused");
    if (desired.tooOften) return;
    if (taken)
        _mails.sendAccountExists(transaction, mailRecipient(*known));
    else
        _mails.sendVerification(transaction, {desired.input.email, desired.input.displayName, desired.locale}, token);
    const auto log = AuditLog::anonymous(desired.client, now, desired.serviceId);
    if (taken)
        log.record(transaction, "user.registration_repeated", known->id);
    else
        log.in(registration.organizationId).record(transaction, "user.registered", registration.userId);
}

PendingRegistration RegistrationRoutes::write(Transaction& transaction, const Wish& desired, const std::optional<User>& known,
                                              const std::string& key)
{
    const auto now = _core.clock.now();
    auto user = userOf(desired.input, desired.locale, desired.passwordHash, key, now);
    if (known)
    {
        user.id = known->id;
        // An account that an operator made has no password. A registration does not change it.
        if (known->passwordHash)
            userTable.set(transaction, user.id, {now}, &User::passwordHash, user.passwordHash, &User::displayName, user.displayName,
                          &User::foldedName, fold(user.displayName));
    }
    else
        users::insert(transaction, user);
    auto registration = email_proofs::registrationOf(user);
    // The organization would outlive an expired registration, because an account that an operator made is kept.
    if (!known || known->passwordHash || !desired.input.invitationToken.empty())
        registration.organizationId = foundOrganization(transaction, desired, user.id);
    registration.serviceId = desired.serviceId;
    registration.returnTo = desired.returnTo;
    registration.browserMark = desired.browserMark;
    return registration;
}

std::optional<OrganizationId> RegistrationRoutes::foundOrganization(Transaction& transaction, const Wish& desired, const UserId& owner)
{
    if (!desired.input.createOrganization) return std::nullopt;
    const auto now = _core.clock.now();
    const auto& name = desired.input.organizationName.empty() ? desired.input.displayName : desired.input.organizationName;
    const auto kind = desired.input.developerWorkspace ? OrganizationKind::DeveloperWorkspace : OrganizationKind::Business;
    const auto made = organizations::found(transaction, *_core.catalog.snapshot(), _core.settings, {name, {}, kind}, now);
    memberships::join(transaction, made.id, owner, Role::Owner, now);
    return made.id;
}

std::optional<User> RegistrationRoutes::join(const Wish& desired)
{
    const auto invitation = _core.read([&](Session& session) { return invitationSecrets.look(session, desired.input.invitationToken); });
    if (!invitation) throw Problem::notFound("There is no such invitation.");
    const auto catalog = _core.catalog.snapshot();
    return retryRace(
        [&]
        {
            return _core.changes.run(
                {invitation->organizationId},
                [&](Transaction& transaction) -> std::optional<User>
                {
                    const auto now = _core.clock.now();
                    if (invitation->emailKey != emailKey(desired.input.email))
                        throw Problem::forbidden("invitation_email_mismatch", "The invitation is for another address.");
                    const auto known = users::findByEmail(transaction, desired.input.email);
                    if (known && known->status != UserStatus::PendingVerification) return std::nullopt;
                    const auto registration = write(transaction, desired, known, emailKey(desired.input.email));
                    auto user = email_proofs::confirmRegistration(transaction, registration, desired.client, now);
                    if (!user) throw proofExpired();
                    invitations::accept(transaction, *catalog, desired.client, desired.input.invitationToken, user->id.text(), now);
                    domains::joinByAddress(_core.context, transaction, *user, now);
                    AuditLog::anonymous(desired.client, now, desired.serviceId)
                        .in(invitation->organizationId)
                        .record(transaction, "user.registered", user->id);
                    return user;
                });
        });
}

Reply<RegistrationAccepted> RegistrationRoutes::resend(const Request& request, const Body<ResendInput>& input)
{
    _limits.countMail(input->email, request.clientAddress);
    _core.human.require(request, HumanPurpose::Login, input->humanVerification);
    _jobs.enqueue({AccountMailKind::EmailVerification, input->email, Client::of(request)});
    return {.record = {}, .status = 202};
}

std::string RegistrationRoutes::nextOf(Transaction& transaction, const User& user, const PendingRegistration& registration,
                                       bool byCode) const
{
    if (user.passwordHash) return withQuery("/login", returnParameters({}, registration.returnTo));
    // A code can be guessed, so only the link leads to the page that sets a password.
    if (byCode) return std::string(account_pages::forgotPassword);
    // The mail has proved the address, as the mail of a reset does.
    const auto token = one_time_tokens::issue(
        transaction, {token_purpose::passwordReset, user.id.text(), _core.settings.accounts.resetLife}, _core.clock.now());
    return std::string(account_pages::resetPassword) + token.secret;
}

RegistrationRoutes::Proof RegistrationRoutes::prove(const MailProof& sent, const Client& client)
{
    const auto seen =
        _core.read([&](Session& session) { return one_time_tokens::look(session, token_purpose::registration, sent, _core.clock.now()); });
    const auto registered = seen ? seen->dataAs<PendingRegistration>().userId : UserId();
    const auto work = [&](Transaction& transaction) -> std::optional<Proof>
    {
        const auto now = _core.clock.now();
        if (const auto token = one_time_tokens::redeem(transaction, token_purpose::registration, sent, now))
        {
            const auto registration = token->dataAs<PendingRegistration>();
            if (const auto user = email_proofs::confirmRegistration(transaction, registration, client, now))
            {
                domains::joinByAddress(_core.context, transaction, *user, now);
                return Proof{*user, registration, nextOf(transaction, *user, registration, sent.secret.empty())};
            }
        }
        // Committed like a success: wrong codes are counted, and response times do not reveal whether a code exists.
        AuditLog::anonymous(client, now).refused(transaction, "user.verification_refused");
        return std::nullopt;
    };
    auto proof = seen ? _core.changes.run({registered}, work) : _core.database.transact(work);
    if (!proof) throw proofExpired();
    return *std::move(proof);
}

Reply<RegistrationAnswer> RegistrationRoutes::welcome(const Request& request, const User& user, std::string_view serviceId)
{
    auto wanted = _flow.atService(request, serviceId);
    wanted.amr = {std::string(amr::password)};
    try
    {
        auto signedIn = _flow.complete(request, user, wanted);
        return {.record = answerOf(signedIn.record), .status = 201, .cookies = std::move(signedIn.cookies)};
    }
    catch (const Problem& refusal)
    {
        if (refusal.status() != 403) throw;
    }
    // The account and the membership are stored; the login page explains the obstacle.
    auto answer = answerOf(RegistrationAccepted{"sign_in_required"});
    answer.needsSignIn = true;
    return {.record = std::move(answer), .status = 202};
}

std::vector<SetCookie> RegistrationRoutes::signIn(const Request& request, const Proof& proof)
{
    if (!proof.user.passwordHash) return {};
    const auto mark = _core.cookies.preLogin(request);
    if (mark.empty() || !isOwnOrigin(request) || !sameSecret(sha256(mark).hex(), proof.registration.browserMark)) return {};
    try
    {
        auto wanted = _flow.atService(request, proof.registration.serviceId);
        wanted.amr = {std::string(amr::password)};
        return _flow.complete(request, proof.user, wanted).cookies;
    }
    catch (const Problem&)
    {
        // The address stays verified; the login page explains the obstacle.
        return {};
    }
}

Reply<VerifiedEmail> RegistrationRoutes::verify(const Request& request, const Body<VerifyInput>& input)
{
    if (input->token.empty() == input->code.empty())
        throw Problem::invalid("token", "required", "Send the token of the link, or the address with the code of the mail.");
    if (!input->code.empty() && input->email.empty()) throw Problem::invalid("email", "required", "Send the address with the code.");
    if (!input->code.empty()) _limits.countCode(request.clientAddress);
    if (!input->code.empty() && !_limits.mayTryCode(input->email)) throw proofExpired();
    const MailProof sent{input->token, emailKey(input->email), input->code};
    if (_changes.confirm(sent, Client::of(request))) return {.record = {}};
    const auto proof = prove(sent, Client::of(request));
    return {.record = {.next = proof.next}, .cookies = signIn(request, proof)};
}

} // namespace portico::identity
