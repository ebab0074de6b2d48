#pragma once

#include "audit/EventName.h"
#include "catalog/Catalog.h"
#include "common/Core.h"
#include "common/Names.h"
#include "records/Organization.h"
#include "users/User.h"

#include "portico/interfaces/Accounts.h"

namespace portico::identity
{

/// Validated input for a new account.
struct NewAccount
{
    std::string email;
    std::string displayName;
    std::string password;
    std::string organizationSlug;
    std::string organizationName;
    Role role = Role::Member;
    std::optional<PlatformRole> platformRole;
};

constexpr auto schemaOf(const NewAccount*)
{
    return describe(field<&NewAccount::email>().required().email(), named(field<&NewAccount::displayName>().trimmed().maxLength(120)),
                    field<&NewAccount::password>(), field<&NewAccount::organizationSlug>().maxLength(40),
                    named(field<&NewAccount::organizationName>().maxLength(120)), members<&NewAccount::role, &NewAccount::platformRole>());
}

/// Implements `portico.accounts`: creates accounts for the operator, active and verified immediately. Thread-safe.
class AccountMaker final : public interfaces::Accounts
{
public:
    explicit AccountMaker(Core& core) : _core(core) {}
    CreatedUser createUser(const NewUser& user) override;
    CreatedUser joinUser(const NewUser& user) override;

private:
    User makeUser(Transaction& transaction, const NewAccount& account, const std::string& passwordHash);
    CreatedUser enrol(Transaction& transaction, const User& user, const NewAccount& account, EventName event);
    Organization findOrMakeOrganization(Transaction& transaction, const NewAccount& account, const Catalog& catalog);
    Organization findOrMakeAdminOrganization(Transaction& transaction, const Catalog& catalog);

    Core& _core;
};

} // namespace portico::identity
