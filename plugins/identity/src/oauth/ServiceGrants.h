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

/// What a client gets that asks for a token of its own (RFC 6749, 4.4).
struct ServiceGrant
{
    std::string clientId;
    /// The organization that it belongs to.
    std::string ownerId;
    std::string audience;
    std::string scope;
};

/// Remembers by their bytes the requests for tokens of their own that clients made with a secret: who sends the same again, while nothing
/// has changed that the answer depends on, is not looked up again. Thread-safe.
class ServiceGrants
{
public:
    explicit ServiceGrants(Core& core) : _core(core) {}

    /// What names the request; nothing where it has a proof of possession, which is good once.
    std::optional<CredentialKey> keyOf(const Request& request, const RawBody& body) const;
    /// What the request was given before, if it would be given that now.
    std::shared_ptr<const ServiceGrant> find(const CredentialKey& key);
    /// Where the data stand that a grant to this client depends on: to be taken before they are read for it.
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
