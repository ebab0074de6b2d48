#pragma once

#include "portico/interfaces/Directory.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace portico::testing
{

/// Members of organizations as a test writes them down, for `FakeServices::offer<interfaces::Directory>`. Used by one thread while it is
/// changed.
class FakeDirectory final : public interfaces::Directory
{
public:
    struct Member
    {
        interfaces::DirectoryMember profile;
        /// Full names of what the member may do there.
        std::set<std::string, std::less<>> permissions;
    };

    /// Makes a person an active member, or replaces what was written of them there.
    void add(std::string_view organization, std::string_view userId, std::set<std::string, std::less<>> permissions = {},
             std::string_view email = {})
    {
        Member member;
        member.profile.userId = userId;
        member.profile.email = email;
        member.profile.active = true;
        member.permissions = std::move(permissions);
        members[{std::string(organization), std::string(userId)}] = std::move(member);
    }

    std::optional<interfaces::DirectoryMember> member(Tenant organization, std::string_view userId) override
    {
        const auto found = members.find({std::string(organization.text()), std::string(userId)});
        return found == members.end() ? std::nullopt : std::optional(found->second.profile);
    }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant organization, std::string_view email) override
    {
        for (const auto& [key, member] : members)
            if (key.first == organization.text() && !email.empty() && member.profile.email == email) return member.profile;
        return std::nullopt;
    }
    bool memberMay(Tenant organization, std::string_view userId, std::string_view permission) override
    {
        const auto found = members.find({std::string(organization.text()), std::string(userId)});
        return found != members.end() && found->second.profile.active && found->second.permissions.contains(permission);
    }

    /// By organization and user.
    std::map<std::pair<std::string, std::string>, Member> members;
};

} // namespace portico::testing
