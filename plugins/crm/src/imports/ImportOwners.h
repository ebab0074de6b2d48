#pragma once

#include "Ids.h"

#include "portico/Services.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace portico::interfaces
{
struct DirectoryMember;
}

namespace portico::crm
{

/// Resolves the owners of imported contacts. Each name of a file is looked up once. Do not use it in a transaction, because it calls
/// another plugin. Used by one thread.
class ImportOwners
{
public:
    ImportOwners(Services& services, std::string organizationId) : _services(services), _organizationId(std::move(organizationId)) {}

    /// Returns the active member with that address or id; empty if there is none. @throws Problem 503 if the directory is unavailable
    std::optional<UserId> byEmail(const std::string& email);
    std::optional<UserId> byId(const UserId& id);

private:
    using Ask = std::function<std::optional<interfaces::DirectoryMember>()>;
    std::optional<UserId> ask(const std::string& name, const Ask& ask);

    Services& _services;
    const std::string _organizationId;
    /// Cache by address or id, which have different forms. Bounded, so that a file of invented names cannot exhaust memory.
    std::map<std::string, std::optional<UserId>> _known;
};

} // namespace portico::crm
