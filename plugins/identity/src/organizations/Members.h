#pragma once

#include "portico/Database.h"
#include "portico/interfaces/Directory.h"

namespace portico::identity
{

/// `identity.directory`: who belongs to an organization. Thread-safe.
class Members final : public interfaces::Directory
{
public:
    explicit Members(Database& database) : _database(database) {}
    std::optional<interfaces::DirectoryMember> member(std::string_view organizationId, std::string_view userId) override;
    std::optional<interfaces::DirectoryMember> memberByEmail(std::string_view organizationId, std::string_view email) override;

private:
    Database& _database;
};

} // namespace portico::identity
