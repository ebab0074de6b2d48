#include "people/UserRoutes.h"

#include "accounts/EmailProofs.h"
#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "factors/Factors.h"
#include "organizations/Invitations.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"
#include "upstream/LinkedAccount.h"
#include "users/AccountNotices.h"
#include "web/AccountPaths.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

/// Returns true for operators with a token, who see all users. A key only sees its context.
bool seesAll(const Caller& caller) { return caller.platformBypass && caller.credential != CredentialKind::ApiKey; }

/// Returns the organization whose users are requested; empty: all. @throws Problem 404
std::optional<OrganizationId> meantOrganization(const Caller& caller, const std::optional<OrganizationId>& named)
{
    if (seesAll(caller)) return named;
    auto own = OrganizationId::parse(caller.organizationId);
    if (!own) throw Problem::forbidden();
    if (named && named != own) throw Problem::notFound();
    return own;
}

void requireMove(const User& user, UserStatus wanted)
{
    if (user.status == wanted) return;
    const auto switches = [](UserStatus status) { return status == UserStatus::Active || status == UserStatus::Suspended; };
    if (!switches(wanted)) throw Problem::invalid("status", "invalid_choice", "Use active or suspended.");
    if (!switches(user.status))
        throw Problem::conflict("conflict", "This account is not in use: it can be neither suspended nor restored.");
}

} // namespace

void UserRoutes::declare(Routes& routes)
{
    const auto read = access::bearerOrKey("users:read", "users.read");
    routes.get("/api/users", read, &UserRoutes::list, this, {.summary = "List users"})
        .get("/api/users/{userId}", read, &UserRoutes::show, this, {.summary = "Read a user"})
        .patch("/api/users/{userId}", access::bearer("users:manage"), &UserRoutes::update, this,
               {.summary = "Update, suspend or restore a user",
                .problems = {"403 outranked", "403 platform_role_requires_super_admin", "403 step_up_required", "409 last_owner"}})
        .post("/api/users", access::bearer().forOperators(), &UserRoutes::create, this,
              {.summary = "Create a user as an operator", .problems = {"409 email_in_use"}});
}

void UserRoutes::complete(Session& session, User& user, const std::optional<OrganizationId>& organization) const
{
    user.mfa = factors::summary(session, user.id);
    const auto membership = organization ? membershipTable.find(session, *organization, user.id) : std::nullopt;
    user.role = membership ? membership->role : Role::Member;
}

void UserRoutes::requireServices(PrincipalType type, const std::vector<std::string>& services) const
{
    if (!services.empty() && type != PrincipalType::External)
        throw Problem::invalid("principalServices", "not_allowed", "Only external users are restricted to services.");
    const auto catalog = _core.catalog.snapshot();
    for (std::size_t i = 0; i < services.size(); ++i)
        if (!catalog->find(services[i]))
            throw Problem::invalid("principalServices[" + std::to_string(i) + ']', "unknown_service", "There is no such service.");
}

Page<User> UserRoutes::list(const Caller& caller, const Query<UserFilterQuery>& filter, const Paging& paging) const
{
    const auto organization = meantOrganization(caller, filter->organizationId);
    auto session = _core.database.snapshot();
    auto users = userTable.select();
    if (organization)
        users.where("id IN (SELECT m.user_id FROM memberships m WHERE m.organization_id = ? AND m.status <> 'removed')", *organization);
    if (!filter->q.empty())
        users.where("folded_name LIKE ? ESCAPE '\\' OR email_key LIKE ? ESCAPE '\\'", likePattern(fold(filter->q)),
                    likePattern(emailKey(filter->q)));
    if (filter->status.empty())
        users.where("status <> 'deleted'");
    else
        users.whereIn(&User::status, filter->status);
    auto page = users.orderBy(&User::id).page(session, paging);
    for (auto& user : page.items) complete(session, user, organization);
    return page;
}

User UserRoutes::show(const Caller& caller, const Path<UserId>& id) const
{
    const auto organization = meantOrganization(caller, {});
    auto session = _core.database.snapshot();
    auto user = users::find(session, id->text());
    if (!user || (organization && !membershipTable.exists(session, *organization, *id))) throw Problem::notFound();
    complete(session, *user, organization ? organization : OrganizationId::parse(caller.organizationId));
    return *std::move(user);
}

User UserRoutes::update(const Caller& caller, const Request& request, const Path<UserId>& id, const Body<Patch<UserChange>>& patch,
                        const IfMatch& match)
{
    std::vector<std::string> ended;
    auto changed = _core.changes.run(
        {*id},
        [&](Transaction& transaction)
        {
            const auto now = _core.clock.now();
            const Actor actor(transaction, caller, now);
            const auto subject = actor.rankOf(*id, actor.organizationId());
            auto user = users::find(transaction, id->text()).value();
            match.require(user.version);
            UserChange wanted{{}, user.displayName, user.status, user.platformRole, user.principalServices, user.launcherEligible};
            patch->applyTo(wanted);
            if (wanted.principalServices != user.principalServices || wanted.launcherEligible != user.launcherEligible)
            {
                actor.requireOperator();
                requireServices(user.principalType, wanted.principalServices);
            }
            requireMove(user, wanted.status);
            actor.requireMayChange(subject);
            const bool restored = wanted.status == UserStatus::Active && user.status != wanted.status;
            if (wanted.platformRole && (wanted.platformRole != user.platformRole || restored)) actor.requireMayGrant(*wanted.platformRole);
            if (!wanted.platformRole && user.platformRole) actor.requirePlatformSuperAdmin();
            const auto log = AuditLog::personal(request, now, actor.organizationId());
            std::int64_t unlinked = 0;
            if (wanted.platformRole && !user.platformRole)
            {
                auto links = linked_accounts::endOfOrganizations(transaction, *id, end_reason::revokedByAdmin, now, &log);
                unlinked = links.removed;
                ended = std::move(links.ended);
                if (unlinked > 0) _core.notices.tell(transaction, id->text(), &AccountChangeMail::unlinked);
            }
            if (wanted.status == UserStatus::Suspended && user.status != wanted.status)
            {
                memberships::requireAnotherOwnerEverywhere(transaction, *id);
                auto over = sign_ins::endAll(transaction, *id, end_reason::userDisabled, now, {}, &log);
                ended.insert(ended.end(), over.begin(), over.end());
                invitations::revokeAll(transaction, *id, now);
            }
            user.displayName = wanted.displayName;
            user.status = wanted.status;
            user.platformRole = wanted.platformRole;
            user.principalServices = wanted.principalServices;
            user.launcherEligible = wanted.launcherEligible;
            ++user.version;
            ++user.revision;
            user.updatedAt = now;
            userTable.set(transaction, *id, {now}, &User::displayName, user.displayName, &User::foldedName, fold(user.displayName),
                          &User::status, user.status, &User::platformRole, user.platformRole, &User::principalServices,
                          user.principalServices, &User::launcherEligible, user.launcherEligible, &User::revision, increment);
            log.record(transaction, "user.updated", *id,
                       {{"status", user.status},
                        {"platformRole", user.platformRole ? toString(*user.platformRole) : ""},
                        {"linksRemoved", unlinked}});
            complete(transaction, user, actor.organizationId());
            return user;
        });
    _core.sessionEvents.ended(ended);
    _core.sessionEvents.revised(changed.id.text(), changed.revision);
    return changed;
}

Created<User> UserRoutes::create(const Caller& caller, const Request& request, const Body<NewUserInput>& input)
{
    if (input->principalType == PrincipalType::Service || input->principalType == PrincipalType::Agent)
        throw Problem::invalid("principalType", "invalid_choice", "Use user or external.");
    requireServices(input->principalType, input->principalServices);
    const Problem taken = Problem::conflict("email_in_use", "There is an account with this address already.");
    auto make = [&](Transaction& transaction)
    {
        const auto now = _core.clock.now();
        const Actor actor(transaction, caller, now);
        if (!actor.isOperator()) throw Problem::forbidden();
        if (users::findByEmail(transaction, input->email)) throw taken;
        User user;
        user.id = UserId::make(now);
        user.email = input->email;
        user.emailKey = emailKey(input->email);
        user.displayName = input->displayName.empty() ? input->email.substr(0, input->email.find('@')) : input->displayName;
        user.principalType = input->principalType;
        user.principalServices = input->principalServices;
        user.launcherEligible = input->launcherEligible;
        user.createdAt = user.updatedAt = now;
        users::insert(transaction, user);
        if (input->sendInvitation)
        {
            const auto token = email_proofs::issueRegistration(transaction, _core, user.email, email_proofs::registrationOf(user));
            _accountMade.send(transaction, mailRecipient(user),
                              {_core.origin, caller.displayName, _core.origin + std::string(account_pages::verifyEmail) + token.secret});
        }
        AuditLog::personal(request, now, actor.organizationId()).record(transaction, "user.created", user.id);
        return user;
    };
    try
    {
        auto made = _core.database.transact(make);
        auto location = "/api/users/" + made.id.text();
        return {std::move(made), std::move(location)};
    }
    catch (const DatabaseError& error)
    {
        // A concurrent request has inserted the account.
        if (error.kind() == DatabaseError::Kind::UniqueViolation) throw taken;
        throw;
    }
}

} // namespace portico::identity
