#pragma once

#include "clients/OAuthClient.h"
#include "common/Core.h"
#include "tokens/CredentialCache.h"

#include "portico/Request.h"
#include "portico/Routes.h"

#include <memory>
#include <optional>
#include <string>

namespace portico::identity
{

/// Result of the client credentials grant (RFC 6749, 4.4).
struct ServiceGrant
{
    std::string clientId;
    /// Organization that owns the client.
    std::string ownerId;
    std::string audience;
    std::string scope;
};

/// Caches client credentials grants of clients with a secret by the bytes of the request. A repeated request needs no lookup until data
/// changes on which the answer depends. Thread-safe.
class ServiceGrants
{
public:
    explicit ServiceGrants(Core& core) : _core(core) {}

    /// Returns the cache key of the request; none if it has a proof of possession, which is valid once.
    std::optional<CredentialKey> keyOf(const Request& request, const RawBody& body) const;
    /// Returns the cached grant if it is still current.
    std::shared_ptr<const ServiceGrant> find(const CredentialKey& key);
    /// Returns the revision of the data on which a grant to this client depends. Call it before the data is read.
    CallerRevision revisionFor(const OAuthClient& client) { return _core.changes.current(client.clientId, client.ownerId.text()); }
    void store(const CredentialKey& key, ServiceGrant grant, const CallerRevision& revision);

private:
    struct Remembered
    {
        std::shared_ptr<const ServiceGrant> grant;
        CallerRevision revision;
        Instant expiresAt{};
    };

    Core& _core;
    CredentialCache<Remembered> _cache;
};

} // namespace portico::identity
