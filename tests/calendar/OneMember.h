#pragma once

#include "portico/interfaces/Directory.h"

namespace portico::tests
{

/// Directory in which every user is Ada, until she has left or is suspended.
struct OneMember final : interfaces::Directory
{
    std::optional<interfaces::DirectoryMember> member(Tenant, std::string_view userId) override
    {
        if (left) return std::nullopt;
        interfaces::DirectoryMember member;
        member.userId = userId;
        member.email = "ada@acme.example";
        member.active = !suspended;
        return member;
    }
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant, std::string_view) override { return std::nullopt; }

    bool left = false;
    bool suspended = false;
};

} // namespace portico::tests
