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

/// Who of an organization can own contacts: asked once for each name that a file has. Not for use in a transaction, which must wait for
/// nobody. Used by one thread.
class ImportOwners
{
public:
    ImportOwners(Services& services, std::string organizationId) : _services(services), _organizationId(std::move(organizationId)) {}

    /// The active member with that address or id; empty if there is none. @throws Problem 503 when nobody can tell.
    std::optional<UserId> byEmail(const std::string& email);
    std::optional<UserId> byId(const UserId& id);

private:
    using Ask = std::function<std::optional<interfaces::DirectoryMember>()>;
    std::optional<UserId> ask(const std::string& name, const Ask& ask);

    Services& _services;
    const std::string _organizationId;
    /// By address or id, which cannot be mistaken for each other. A file of made-up names must not fill the memory.
    std::map<std::string, std::optional<UserId>> _known;
};

} // namespace portico::crm
