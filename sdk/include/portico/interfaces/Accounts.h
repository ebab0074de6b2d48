#pragma once

#include "portico/Services.h"

#include <string>
#include <string_view>

namespace portico::interfaces
{

/// Creates accounts for the operator without a sign-in. Used by `porticoctl user`, which works before any user can sign in.
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
        /// Slug of the organization to join. Created (with `organizationName`) if it does not exist; empty: none.
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
    /// @throws Problem 400, 409 `email_in_use` if there is an account with this address
    virtual CreatedUser createUser(const NewUser& user) = 0;
    /// Adds the membership and the platform role to an existing account; name and password stay. @throws Problem 400, 404, 409
    virtual CreatedUser joinUser(const NewUser& user) = 0;
};

} // namespace portico::interfaces
