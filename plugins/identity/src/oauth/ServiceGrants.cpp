#include "oauth/ServiceGrants.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

/// Not for ever, so that those who come no more make room.
constexpr std::chrono::hours longest{1};

} // namespace

std::optional<CredentialKey> ServiceGrants::keyOf(const Request& request, const RawBody& body) const
{
    if (!request.header("DPoP").empty()) return std::nullopt;
    // Headers cannot contain line ends, so they separate the parts.
    std::string bytes(request.header("Authorization"));
    ((bytes += '\n') += body.contentType) += '\n';
    bytes += body.data;
    return CredentialKey{sha256(bytes), {}, CredentialKind::None};
}

std::shared_ptr<const ServiceGrant> ServiceGrants::find(const CredentialKey& key)
{
    const auto known = _cache.find(key);
    const bool current = known && _core.clock.now() < known->expiresAt &&
                         _core.changes.current(known->grant->clientId, known->grant->ownerId) == known->revision;
    return current ? known->grant : nullptr;
}

void ServiceGrants::store(const CredentialKey& key, ServiceGrant grant, const CallerRevision& revision)
{
    const auto now = _core.clock.now();
    const auto secretEnds = _core.read([&](Session& session) { return oauth_clients::firstSecretEnd(session, grant.clientId, now); });
    const auto until = std::min(now + longest, secretEnds.value_or(Instant::max()));
    _cache.store(key, {std::make_shared<const ServiceGrant>(std::move(grant)), revision, until}, now);
}

} // namespace portico::identity
