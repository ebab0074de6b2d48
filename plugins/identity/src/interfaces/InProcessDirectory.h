#pragma once

#include "common/Core.h"

#include "portico/interfaces/Directory.h"

#include <optional>
#include <string_view>

namespace portico::identity
{

/// `identity.directory`: who belongs to an organization, and what they may do there. Thread-safe.
class InProcessDirectory final : public interfaces::Directory
{
public:
    explicit InProcessDirectory(Core& core) : _core(core) {}
    std::optional<interfaces::DirectoryMember> member(Tenant organization, std::string_view userId) override;
    std::optional<interfaces::DirectoryMember> memberByEmail(Tenant organization, std::string_view email) override;
    bool memberMay(Tenant organization, std::string_view userId, std::string_view permission) override;

private:
    Core& _core;
};

} // namespace portico::identity
