#include "imports/ImportOwners.h"

#include "portico/Problem.h"
#include "portico/interfaces/Directory.h"

namespace portico::crm
{

namespace
{

constexpr std::size_t maxKnown = 1000;

Leased<interfaces::Directory> directoryOf(Services& services)
{
    auto directory = services.find<interfaces::Directory>();
    if (!directory) throw Problem::unavailable("validation_unavailable", "Members cannot be looked up at the moment.");
    return directory;
}

} // namespace

std::optional<UserId> ImportOwners::byEmail(const std::string& email)
{
    return ask(email, [&] { return directoryOf(_services)->memberByEmail(Tenant::fromStored(_organizationId), email); });
}

std::optional<UserId> ImportOwners::byId(const UserId& id)
{
    return ask(id.text(), [&] { return directoryOf(_services)->member(Tenant::fromStored(_organizationId), id.text()); });
}

std::optional<UserId> ImportOwners::ask(const std::string& name, const Ask& ask)
{
    if (const auto known = _known.find(name); known != _known.end()) return known->second;
    const auto member = ask();
    auto owner = member && member->active ? UserId::parse(member->userId) : std::nullopt;
    if (_known.size() >= maxKnown) _known.clear();
    return _known.emplace(name, std::move(owner)).first->second;
}

} // namespace portico::crm
