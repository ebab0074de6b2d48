#pragma once

#include "portico/Services.h"
#include "portico/Tenant.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::interfaces
{

struct DirectoryMember
{
    std::string userId;
    std::string displayName;
    std::string email;
    std::string role;
    bool active = false;
    /// True if the person has an authenticator app or a passkey. Since 1.3.
    bool secondFactor = false;
};

/// An organization, to one of its members. Since 1.3.
struct DirectoryOrganization
{
    std::string id;
    std::string slug;
    std::string name;
    std::string logoUrl;
    /// Role of the person; empty if the request named no person.
    std::string role;
    /// Active members.
    std::int64_t memberCount = 0;
    /// True if the security policy demands a second factor.
    bool secondFactorRequired = false;
};

/// A household, to one of its members. Since 1.3.
struct DirectoryHousehold
{
    std::string id;
    std::string name;
    /// `manager`, `adult`, `child` or `viewer`.
    std::string role;
    /// Active members.
    std::int64_t memberCount = 0;
    /// True for the household that the person has selected in personal context.
    bool selected = false;
};

/// Members of organizations and households.
class Directory : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "identity.directory";
    static constexpr std::string_view interfaceVersion = "1.3";
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
    /// Active members with an active account, by user ID, after `afterUserId`. Since 1.3. @param limit at most 1,000 @throws DatabaseError
    virtual std::vector<DirectoryMember> members(Tenant organization, std::string_view afterUserId, std::size_t limit)
    {
        static_cast<void>(organization);
        static_cast<void>(afterUserId);
        static_cast<void>(limit);
        return {};
    }
    /// The active organizations of a person, in the order in which they joined. Since 1.3. @throws DatabaseError
    virtual std::vector<DirectoryOrganization> organizationsOf(std::string_view userId)
    {
        static_cast<void>(userId);
        return {};
    }
    /// The households of a person, by name. Since 1.3. @throws DatabaseError
    virtual std::vector<DirectoryHousehold> householdsOf(std::string_view userId)
    {
        static_cast<void>(userId);
        return {};
    }
};

} // namespace portico::interfaces
