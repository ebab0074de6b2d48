#include "hosts/ActingHost.h"

#include "portico/Problem.h"

namespace portico::calendar
{

namespace
{
/// Returns true for a key that belongs to the organization and not to a user.
bool isOrganizationKey(const Caller& caller)
{
    return caller.credential == CredentialKind::ApiKey && caller.principalId.starts_with(OrganizationId::prefix);
}

/// The only host of the organization, if it has one. @throws Problem 400
std::optional<Host> onlyHost(Session& session, Tenant tenant)
{
    auto hosts = hostTable.select(tenant).orderBy(&Host::hostId).all(session, 2);
    if (hosts.empty()) return std::nullopt;
    if (hosts.size() > 1) throw Problem::invalid("hostId", "required", "The organization has several hosts: name one of them.");
    return std::move(hosts.front());
}

void requireReach(const Caller& caller, const HostId& id)
{
    if (!caller.reaches(hostResource, id.text())) throw Problem::forbidden("resource_not_bound", "The key is narrowed to other hosts.");
}

/// A host that was named. @throws Problem 403, 404
Host namedHost(Session& session, const Caller& caller, const HostId& id)
{
    requireReach(caller, id);
    auto host = hostTable.find(session, caller.tenant(), id);
    if (!isOrganizationKey(caller) && (!host || host->userId != caller.principalId))
    {
        if (caller.credential == CredentialKind::ApiKey)
            throw Problem::forbidden("permission_denied", "The key acts for its owner's host only.");
        if (!caller.may("calendar.host:manage"))
            throw Problem::forbidden("permission_denied", "The permission calendar.host:manage is needed for another host.");
    }
    if (!host) throw Problem::notFound();
    return *std::move(host);
}
} // namespace

std::optional<Host> ownHost(Session& session, const Caller& caller)
{
    auto host = hostTable.select(caller.tenant()).where(&Host::userId, caller.principalId).first(session);
    if (host) host->organizationId = caller.organizationId;
    return host;
}

std::optional<Host> findHost(Session& session, const Caller& caller, const HostChoice& choice)
{
    std::optional<Host> host;
    if (choice.hostId)
        host = namedHost(session, caller, *choice.hostId);
    else if (isOrganizationKey(caller))
        host = onlyHost(session, caller.tenant());
    else
        host = ownHost(session, caller);
    if (!host) return std::nullopt;
    requireReach(caller, host->hostId);
    host->organizationId = caller.organizationId;
    return host;
}

Host requireHost(Session& session, const Caller& caller, const HostChoice& choice)
{
    auto host = findHost(session, caller, choice);
    if (!host) throw Problem::notFound("There is no host yet: set one up first.");
    return *std::move(host);
}

Host requireHostForUpdate(Transaction& transaction, const Caller& caller, const HostChoice& choice)
{
    auto host = hostTable.requireForUpdate(transaction, caller.tenant(), requireHost(transaction, caller, choice).hostId);
    host.organizationId = caller.organizationId;
    return host;
}

} // namespace portico::calendar
