#pragma once

#include "upstream/IdentityProvider.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Failure of a sign-in through a provider. `what` is for the provider's administrator and contains no secrets.
class UpstreamFailure : public std::runtime_error
{
public:
    enum class Kind : std::uint8_t
    {
        Unreachable,    ///< no answer, or an unusable one
        AddressRefused, ///< outbound calls to its address are not allowed (`address_not_allowed`)
        OtherIssuer,    ///< it reports another issuer
        Refused,        ///< it rejects the user or this client
        NotBelieved     ///< its claims about the user are invalid
    };
    UpstreamFailure(Kind failureKind, const std::string& reason) : std::runtime_error(reason), kind(failureKind) {}
    const Kind kind;
};

/// Session at a provider as its logout names it: by subject, by session, or by both. Empty members match any.
struct UpstreamSession
{
    std::string subject;
    std::string sid;
};

/// Notification that a session at the provider has ended.
struct UpstreamLogout
{
    UpstreamSession session;
    /// Id of the token, which can be used once.
    std::string tokenId;
};

/// Claims of a provider about a user.
struct UpstreamPerson
{
    std::string subject;
    std::string sid;
    std::string acr;
    /// Empty if the provider returns none.
    std::string email;
    bool emailVerified = false;
    std::string name;
    std::string givenName;
    std::string familyName;
};

/// Input of an authorization request to a provider.
struct AuthorizationWish
{
    std::string redirectUri;
    std::string state;
    std::string nonce;
    /// Challenge S256 (RFC 7636).
    std::string challenge;
    std::string loginHint;
};

/// Answer of the provider's redirect, and the values that it must match.
struct CodeAnswer
{
    std::string code;
    /// Issuer (RFC 9207); empty: not sent.
    std::string iss;
    std::string redirectUri;
    std::string verifier;
    std::string nonce;
    std::string clientSecret;
};

/// One look at a provider, for who sets it up.
struct ProviderTestStep
{
    std::string name;
    bool ok = false;
    std::string detail;
};

constexpr auto schemaOf(const ProviderTestStep*)
{
    return describe(members<&ProviderTestStep::name, &ProviderTestStep::ok, &ProviderTestStep::detail>());
}

/// How a kind of provider is spoken to. All calls go through the guarded client and take seconds at most. Thread-safe.
class ProviderConnector
{
public:
    virtual ~ProviderConnector() = default;
    /// Returns the address at which a browser signs in. @throws UpstreamFailure
    virtual std::string authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& request) = 0;
    /// Returns the user of the answer. @throws UpstreamFailure
    virtual UpstreamPerson redeem(const IdentityProvider& provider, const CodeAnswer& answer) = 0;
    /// Returns the session that has ended at the provider. @throws UpstreamFailure
    virtual UpstreamLogout readLogout(const IdentityProvider& provider, std::string_view logoutToken) = 0;
    /// Tests the configuration. Never throws for failures of the provider.
    virtual std::vector<ProviderTestStep> test(const IdentityProvider& provider) = 0;
    /// @throws UpstreamFailure only of the kinds OtherIssuer and AddressRefused: a provider may be configured before it answers
    virtual void requireSetUp(const IdentityProvider& provider) = 0;
};

} // namespace portico::identity
