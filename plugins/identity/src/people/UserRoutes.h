#pragma once

#include "common/Core.h"
#include "common/IgnoredOnInput.h"
#include "common/Names.h"
#include "mails/Mails.h"
#include "permissions/Actor.h"
#include "users/User.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct UserFilterQuery
{
    std::string q;
    std::vector<UserStatus> status;
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const UserFilterQuery*)
{
    return describe(field<&UserFilterQuery::q>().maxLength(120), members<&UserFilterQuery::status, &UserFilterQuery::organizationId>());
}

/// Members of an account that an operator can change.
struct UserChange : IgnoredOnInput
{
    std::string displayName;
    UserStatus status = UserStatus::Active;
    std::optional<PlatformRole> platformRole;
    /// Services that an external user may access.
    std::vector<std::string> principalServices;
    bool launcherEligible = true;
};

constexpr auto schemaOf(const UserChange*)
{
    return describe(named(field<&UserChange::displayName>().required().trimmed().maxLength(120)),
                    members<&UserChange::status, &UserChange::platformRole>(), field<&UserChange::principalServices>().maxItems(50),
                    field<&UserChange::launcherEligible>(), readBackOfUser<UserChange>(), readBack<UserChange>("role"));
}

struct NewUserInput
{
    std::string email;
    std::string displayName;
    PrincipalType principalType = PrincipalType::User;
    std::vector<std::string> principalServices;
    bool launcherEligible = true;
    bool sendInvitation = false;
};

constexpr auto schemaOf(const NewUserInput*)
{
    return describe(field<&NewUserInput::email>().required().trimmed().email(),
                    named(field<&NewUserInput::displayName>().trimmed().maxLength(120)), field<&NewUserInput::principalType>(),
                    field<&NewUserInput::principalServices>().maxItems(50),
                    members<&NewUserInput::launcherEligible, &NewUserInput::sendInvitation>());
}

/// To whom an operator has made an account for.
struct AccountMadeMail
{
    std::string site;
    std::string inviter;
    std::string link;
};

constexpr auto schemaOf(const AccountMadeMail*)
{
    return describe(members<&AccountMadeMail::site, &AccountMadeMail::inviter, &AccountMadeMail::link>());
}

/// Accounts for administrators: those of their organization, for operators all. Thread-safe.
class UserRoutes
{
public:
    explicit UserRoutes(Core& core) : _core(core), _accountMade(core.mails.bind<AccountMadeMail>("account-made")) {}
    void declare(Routes& routes);

    /// The oldest first.
    Page<User> list(const Caller& caller, const Query<UserFilterQuery>& filter, const Paging& paging) const;
    User show(const Caller& caller, const Path<UserId>& id) const;
    User update(const Caller& caller, const Request& request, const Path<UserId>& id, const Body<Patch<UserChange>>& patch,
                const IfMatch& match);
    /// Creates an account without a password. The owner of the address sets it.
    Created<User> create(const Caller& caller, const Request& request, const Body<NewUserInput>& input);

private:
    void complete(Session& session, User& user, const std::optional<OrganizationId>& organization) const;
    /// @throws Problem 400 `validation_failed` for unknown services, or for services of a user who is not external
    void requireServices(PrincipalType type, const std::vector<std::string>& services) const;

    Core& _core;
    MailTemplate<AccountMadeMail> _accountMade;
};

} // namespace portico::identity
