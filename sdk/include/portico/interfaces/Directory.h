#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::interfaces
{

struct DirectoryMember
{
    std::string userId;
    std::string displayName;
    std::string email;
    std::string role;
    bool active = false;
};

/// Members of an organization.
class Directory : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.directory";
    static constexpr std::string_view interfaceVersion = "1.2";
    /// Empty when the user is not a member, or has left. @throws DatabaseError
    virtual std::optional<DirectoryMember> member(Tenant organization, std::string_view userId) = 0;
    /// The member with that e-mail address, compared as at sign-in. Since 1.1. As `member`.
    virtual std::optional<DirectoryMember> memberByEmail(Tenant organization, std::string_view email) = 0;
    /// Checks whether a person has a permission in an organization now, whatever the active context: an active member with access to the
    /// permission's service whose roles and overrides grant it. Since 1.2. A test double that does not override it returns false.
    /// @param permission full name, `social.brands:transfer`. @throws DatabaseError
    virtual bool memberMay(Tenant organization, std::string_view userId, std::string_view permission)
    {
        static_cast<void>(organization);
        static_cast<void>(userId);
        static_cast<void>(permission);
        return false;
    }
};

} // namespace portico::interfaces
