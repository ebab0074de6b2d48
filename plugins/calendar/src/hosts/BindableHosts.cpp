#include "hosts/BindableHosts.h"

#include "hosts/ActingHost.h"

#include "portico/Text.h"

namespace portico::calendar
{

namespace
{
void requireReadable(const Caller& caller, std::string_view type)
{
    if (type != hostResource) throw Problem::notFound("There is no such type of resource.");
    if (!caller.may("calendar.host:read")) throw Problem::forbidden("permission_denied", "The permission calendar.host:read is needed.");
}

interfaces::BindableResource resourceOf(const Host& host) { return {host.hostId.text(), host.handle}; }
} // namespace

std::vector<interfaces::BindableResource> BindableHosts::list(const Caller& caller, std::string_view type, std::string_view words,
                                                              std::string_view after, std::size_t limit)
{
    requireReadable(caller, type);
    const auto wanted = fold(words);
    auto session = _context.database().session();
    std::vector<interfaces::BindableResource> found;
    for (const auto& host : hostTable.select(caller.tenant()).where("id > ?", after).orderBy(&Host::hostId).all(session))
    {
        if (found.size() == limit) break;
        const bool named = (fold(host.displayName) + '\n' + host.handle).find(wanted) != std::string::npos;
        if (named && caller.reaches(hostResource, host.hostId.text())) found.push_back(resourceOf(host));
    }
    return found;
}

std::optional<interfaces::BindableResource> BindableHosts::find(const Caller& caller, std::string_view type, std::string_view id)
{
    requireReadable(caller, type);
    const auto hostId = HostId::parse(id);
    if (!hostId || !caller.reaches(hostResource, id)) return std::nullopt;
    auto session = _context.database().session();
    const auto host = hostTable.find(session, caller.tenant(), *hostId);
    return host ? std::optional(resourceOf(*host)) : std::nullopt;
}

} // namespace portico::calendar
