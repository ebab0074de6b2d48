#pragma once

#include "common/Core.h"

#include "portico/interfaces/Directory.h"

#include <optional>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Implements `identity.directory`: members of an organization, and their permissions. Thread-safe.
class InProcessDirectory final : public interfaces::Directory
{
public:
    explicit InProcessDirectory(Core& core) : _core(core) {}
    std::optional<interfaces::DirectoryMember> member(Tenant organization, std::string_view userId) override;
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant organization, std::string_view email) override;
    bool memberMay(Tenant organization, std::string_view userId, std::string_view permission) override;
    std::vector<interfaces::DirectoryMember> members(Tenant organization, std::string_view afterUserId, std::size_t limit) override;
    std::vector<interfaces::DirectoryOrganization> organizationsOf(std::string_view userId) override;
    std::vector<interfaces::DirectoryHousehold> householdsOf(std::string_view userId) override;

private:
    Core& _core;
};

} // namespace portico::identity
