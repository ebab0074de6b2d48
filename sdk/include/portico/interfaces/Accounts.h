#pragma once

#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Makes accounts on the operator's word, without sign-in: behind `porticoctl user`, which works before anyone can sign in.
class Accounts : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.accounts";
    static constexpr std::string_view interfaceVersion = "1.0";
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
    /// @throws Problem 400, 409 `email_in_use` where there is an account with this address
    virtual CreatedUser createUser(const NewUser& user) = 0;
    /// Gives an account that is there the membership and the platform role; its name and password stay. @throws Problem 400, 404, 409
    virtual CreatedUser joinUser(const NewUser& user) = 0;
};

} // namespace portico::interfaces
