#pragma once

#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Makes accounts on the operator's word, without sign-in: behind `porticoctl user create`, which works before anyone can sign in.
class Accounts : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.accounts";
    struct NewUser
    {
        std::string email;
        std::string displayName;
        /// Checked against the password rules; never logged.
        std::string password;
        /// Slug of the organization to join, made (with `organizationName`) when it does not exist; empty: none.
        std::string organizationSlug;
        std::string organizationName;
        std::string role = "member";
        /// `platform_super_admin`, `platform_admin` or empty; such a user joins the admin organization.
        std::string platformRole;
    };
    struct CreatedUser
    {
        std::string userId;
        std::string organizationId;
    };
    /// Repeating it with the same e-mail adds the membership to the existing user and leaves the password alone. @throws Problem 400, 409
    virtual CreatedUser createUser(const NewUser& user) = 0;
};

} // namespace portico::interfaces
