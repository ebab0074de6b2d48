#pragma once

#include "portico/interfaces/Directory.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
        member.profile.role = "member";
        member.permissions = std::move(permissions);
        written[{std::string(organization), std::string(userId)}] = std::move(member);
    }

    std::optional<interfaces::DirectoryMember> member(Tenant organization, std::string_view userId) override
    {
        const auto found = written.find({std::string(organization.text()), std::string(userId)});
        return found == written.end() ? std::nullopt : std::optional(found->second.profile);
    }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant organization, std::string_view email) override
    {
        for (const auto& [key, member] : written)
            if (key.first == organization.text() && !email.empty() && member.profile.email == email) return member.profile;
        return std::nullopt;
    }
    bool memberMay(Tenant organization, std::string_view userId, std::string_view permission) override
    {
        const auto found = written.find({std::string(organization.text()), std::string(userId)});
        return found != written.end() && found->second.profile.active && found->second.permissions.contains(permission);
    }

    std::vector<interfaces::DirectoryMember> members(Tenant organization, std::string_view afterUserId, std::size_t limit) override
    {
        std::vector<interfaces::DirectoryMember> found;
        for (const auto& [key, member] : written)
            if (key.first == organization.text() && key.second > afterUserId && member.profile.active && found.size() < limit)
                found.push_back(member.profile);
        return found;
    }
    std::vector<interfaces::DirectoryOrganization> organizationsOf(std::string_view userId) override
    {
        std::vector<interfaces::DirectoryOrganization> found;
        for (const auto& [key, member] : written)
            if (key.second == userId && member.profile.active)
                found.push_back({key.first,
                                 key.first,
                                 key.first,
                                 {},
                                 member.profile.role,
                                 countOf(key.first),
                                 requireSecondFactor.contains(key.first)});
        return found;
    }
    std::vector<interfaces::DirectoryHousehold> householdsOf(std::string_view userId) override
    {
        const auto found = households.find(userId);
        return found == households.end() ? std::vector<interfaces::DirectoryHousehold>() : found->second;
    }

    /// By organization and user.
    std::map<std::pair<std::string, std::string>, Member> written;
    /// Organizations whose policy demands a second factor.
    std::set<std::string> requireSecondFactor;
    /// By person.
    std::map<std::string, std::vector<interfaces::DirectoryHousehold>, std::less<>> households;

private:
    std::int64_t countOf(const std::string& organization) const
    {
        std::int64_t count = 0;
        for (const auto& [key, member] : written) count += key.first == organization && member.profile.active ? 1 : 0;
        return count;
    }
};

} // namespace portico::testing
