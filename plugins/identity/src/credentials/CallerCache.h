#pragma once

#include "common/Changes.h"
#include "common/Networks.h"
#include "tokens/CredentialCache.h"
#include "tokens/TokenCodec.h"

#include <memory>

namespace portico::identity
{

/// What is remembered of a credential that was found good. The signature of a token does not change with the data, so its claims stay
/// until it expires; the caller counts only while nothing has changed since `revision`.
struct RememberedCredential
{
    std::shared_ptr<const Caller> caller;
    std::shared_ptr<const AccessClaims> claims;
    /// Of a key that may be used from some addresses only.
    std::shared_ptr<const AddressList> addresses;
    /// Of the organization in whose context the caller works, where its policy names networks.
    std::shared_ptr<const AddressList> organizationAddresses;
    /// Networks of requests in which a platform role has effect, where the admin organization's policy names some.
    std::shared_ptr<const AddressList> operatorAddresses;
    /// The caller of requests from elsewhere; null: the service is closed to them. Set with `operatorAddresses`.
    std::shared_ptr<const Caller> callerElsewhere;
    /// That organization demands a second factor, and the sign-in has none.
    bool lacksFactor = false;
    CallerRevision revision;
    /// The moment at which the caller would be another one though no row changed: expiry, the end of a step-up or of an override.
    Instant callerUntil{};
    Instant expiresAt{};
};

using CallerCache = CredentialCache<RememberedCredential>;

} // namespace portico::identity
