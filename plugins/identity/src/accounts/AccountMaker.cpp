#include "accounts/AccountMaker.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "organizations/Founding.h"
#include "organizations/Memberships.h"
#include "sessions/SignIn.h"
#include "upstream/LinkedAccount.h"
#include "users/AccountNotices.h"
#include "users/PasswordRules.h"
#include "users/Passwords.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view adminName = "Administration";

NewAccount check(const interfaces::Accounts::NewUser& user)
{
    NewAccount account{user.email,   user.displayName, user.password, user.organizationSlug, user.organizationName,
                       Role::Member, std::nullopt};
    const auto role = parseEnum<Role>(user.role);
    if (!role) throw Problem::invalid("role", "invalid_choice", "Use guest, member, admin, super_admin or owner.");
    account.role = *role;
    if (!user.platformRole.empty())
    {
        account.platformRole = parseEnum<PlatformRole>(user.platformRole);
        if (!account.platformRole)
            throw Problem::invalid("platformRole", "invalid_choice", "Use platform_admin or platform_super_admin, or leave it out.");
    }
    account.displayName = trim(account.displayName);
    validate(account);
    if (!account.organizationSlug.empty() && !organizations::isSlug(account.organizationSlug))
        throw Problem::invalid("organizationSlug", "invalid_slug",
                               "Expected 2 to 40 lower-case letters, digits and single hyphens between them.");
    if (account.displayName.empty()) account.displayName = account.email.substr(0, account.email.find('@'));
    return account;
}

/// Adds a member with any role, because porticoctl is trusted. Still rejects leaving the organization without an owner.
void join(Transaction& transaction, const OrganizationId& organization, const UserId& user, Role role, Instant now)
{
    organizations::lock(transaction, organization);
    const auto before = membershipTable.find(transaction, organization, user);
    const bool owned = before && before->role == Role::Owner && before->status == MembershipStatus::Active;
    if (owned && role != Role::Owner) memberships::requireAnotherOwner(transaction, organization, user);
    memberships::join(transaction, organization, user, role, now);
}

} // namespace

AccountMaker::CreatedUser AccountMaker::createUser(const NewUser& user)
{
    const auto account = check(user);
    _core.passwordRules.check(account.password, {std::string_view(account.email).substr(0, account.email.find('@')), account.displayName,
                                                 account.organizationSlug});
    // Dear, and the same whether the transaction runs once or again.
    const auto passwordHash = passwords::hash(account.password);
    return _core.changes.run(
        [&](Transaction& transaction)
        {
            if (users::findByEmail(transaction, account.email))
                throw Problem::conflict("email_in_use", "There is an account with this address already, and it keeps its password. "
                                                        "porticoctl user join gives it a membership or a platform role.");
            return enrol(transaction, makeUser(transaction, account, passwordHash), account, "user.created");
        });
}

AccountMaker::CreatedUser AccountMaker::joinUser(const NewUser& user)
{
    const auto account = check(user);
    if (account.organizationSlug.empty() && !account.platformRole)
        throw Problem::invalid("organizationSlug", "required", "Name an organization or a platform role.");
    return _core.changes.run(
        [&](Transaction& transaction)
        {
            const auto known = users::findByEmail(transaction, account.email);
            if (!known)
                throw Problem(404, "user_not_found", "There is no account with this address. Create one with porticoctl user create.");
            return enrol(transaction, *known, account, "user.joined");
        });
}

AccountMaker::CreatedUser AccountMaker::enrol(Transaction& transaction, const User& user, const NewAccount& account, EventName event)
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    CreatedUser created{user.id.text(), {}};
    if (account.platformRole)
    {
        userTable.set(transaction, user.id, {now}, &User::platformRole, account.platformRole, &User::revision, increment);
        if (linked_accounts::endOfOrganizations(transaction, user.id, end_reason::revokedByAdmin, now).removed > 0)
            _core.notices.tell(transaction, user.id.text(), &AccountChangeMail::unlinked);
        const auto admin = findOrMakeAdminOrganization(transaction, *catalog);
        const auto before = membershipTable.find(transaction, admin.id, user.id);
        memberships::join(transaction, admin.id, user.id, before && before->role == Role::Owner ? Role::Owner : Role::Admin, now);
        created.organizationId = admin.id.text();
    }
    if (!account.organizationSlug.empty())
    {
        const auto organization = findOrMakeOrganization(transaction, account, *catalog);
        join(transaction, organization.id, user.id, account.role, now);
        created.organizationId = organization.id.text();
    }
    AuditLog::ofOperator(now, OrganizationId::parse(created.organizationId)).record(transaction, event, user.id);
    return created;
}

User AccountMaker::makeUser(Transaction& transaction, const NewAccount& account, const std::string& passwordHash)
{
    const auto now = _core.clock.now();
    User user;
    user.id = UserId::make(now);
    user.email = account.email;
    user.emailKey = emailKey(account.email);
    user.emailVerified = true;
    user.displayName = account.displayName;
    user.status = UserStatus::Active;
    user.passwordHash = passwordHash;
    user.createdAt = user.updatedAt = now;
    users::insert(transaction, user);
    return user;
}

Organization AccountMaker::findOrMakeOrganization(Transaction& transaction, const NewAccount& account, const Catalog& catalog)
{
    if (auto known = organizations::findBySlug(transaction, account.organizationSlug)) return *std::move(known);
    const auto& name = account.organizationName.empty() ? account.organizationSlug : account.organizationName;
    return organizations::found(transaction, catalog, _core.settings, {name, account.organizationSlug}, _core.clock.now());
}

Organization AccountMaker::findOrMakeAdminOrganization(Transaction& transaction, const Catalog& catalog)
{
    if (auto known = organizations::findAdmin(transaction)) return *std::move(known);
    if (organizations::findBySlug(transaction, adminSlug))
        throw Problem::conflict("slug_in_use", "The admin organization's slug, admin, belongs to another organization.");
    return organizations::found(transaction, catalog, _core.settings,
                                {std::string(adminName), std::string(adminSlug), OrganizationKind::Admin}, _core.clock.now());
}

} // namespace portico::identity
