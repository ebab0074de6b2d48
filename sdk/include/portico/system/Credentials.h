#pragma once

#include "portico/Caller.h"
#include "portico/Crypto.h"
#include "portico/Http.h"
#include "portico/Problem.h"
#include "portico/Services.h"

#include <cstdint>
#include <memory>
#include <string_view>

namespace portico::interfaces
{

/// Credential of a request. Views are valid during the call.
struct Credential
{
    CredentialKind kind = CredentialKind::None;
    std::string_view value;
    /// The service whose route is called: the audience that a token must have.
    std::string_view serviceId;
    std::string_view clientAddress;
    /// False on gateway routes without a permission: they are about the caller's own things, which need no access to the origin's service.
    bool requireAccess = true;
    /// SHA-256 of the value where the host has it already: a connection that sends the same credential again has it hashed once.
    const Digest* digest = nullptr;

    /// How a token was presented that may be bound to a key of its holder (RFC 9449).
    enum class Presented : std::uint8_t
    {
        Bearer, ///< nothing was proved
        Proof,  ///< under the scheme DPoP, with `proof`
        Proven  ///< the same request, or stream, was checked before, and with it the proof, which is valid once
    };
    Presented presented = Presented::Bearer;
    /// The header DPoP, and what it must have been made for: method, and URL without the query.
    std::string_view proof = {};
    Method method = Method::Get;
    std::string_view origin = {};
    std::string_view path = {};
    /// True for a route of the provider that concerns the active organization, on any origin. Its policy (addresses, second factor)
    /// applies, and `Caller::permissions` contains the caller's rights in the provider's service beside those in this one.
    bool ofOrganization = false;
};

/// Validates a credential as of this call: earlier changes of role, membership, session, key or workspace are visible. The host calls it
/// once per protected request. Without a provider, such requests get 503 `validation_unavailable`.
class Credentials : public ServiceInterface
{
public:
    static constexpr std::string_view interfaceName = "portico.credentials";
    static constexpr std::string_view interfaceVersion = "1.0";
    /// @throws Problem 401 `invalid_token` with `details.reason`, 403 `service_access_denied`; DatabaseError if validation is impossible
    /// (the host answers 503).
    virtual std::shared_ptr<const Caller> validate(const Credential& credential) = 0;
    /// Result of `validate` if it is available without blocking. Null otherwise, also for rejected credentials. Called on an event loop.
    /// Throws nothing.
    virtual std::shared_ptr<const Caller> validateCached(const Credential&) { return nullptr; }
    /// Checks that the caller confirmed the sign-in recently, for routes with `Access::freshProof`. The default rejects all callers.
    /// @throws Problem 403 `step_up_required`; DatabaseError if the check is impossible (the host answers 503).
    virtual void requireFreshProof(const Caller&) { throw Problem::forbidden("step_up_required"); }
};

} // namespace portico::interfaces
