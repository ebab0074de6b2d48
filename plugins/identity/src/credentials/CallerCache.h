#pragma once

#include "common/Changes.h"
#include "common/Networks.h"
#include "tokens/CredentialCache.h"
#include "tokens/TokenCodec.h"

#include <memory>

namespace portico::identity
{

/// Cached result of a validated credential. The claims of a token are immutable and stay until it expires. The caller is valid only while
/// nothing has changed since `revision`.
struct RememberedCredential
{
    std::shared_ptr<const Caller> caller;
    std::shared_ptr<const AccessClaims> claims;
    /// Addresses to which a key is restricted.
    std::shared_ptr<const AddressList> addresses;
    /// Networks of the active organization's policy, if any.
    std::shared_ptr<const AddressList> organizationAddresses;
    /// Networks in which a platform role has effect, if the admin organization's policy names some.
    std::shared_ptr<const AddressList> operatorAddresses;
    /// The caller for requests from other networks; null: no access. Set with `operatorAddresses`.
    std::shared_ptr<const Caller> callerElsewhere;
    /// True if the organization requires a second factor and the sign-in has none.
    bool lacksFactor = false;
    CallerRevision revision;
    /// Time at which the caller changes without a change of rows: expiry, end of a step-up or of an override.
    Instant callerUntil{};
    Instant expiresAt{};
};

using CallerCache = CredentialCache<RememberedCredential>;

} // namespace portico::identity
