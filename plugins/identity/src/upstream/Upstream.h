#pragma once

#include "upstream/IdentityProvider.h"

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

/// Why a sign-in through a provider goes no further. `what` is for whoever runs the provider here, and has no secrets.
class UpstreamFailure : public std::runtime_error
{
public:
    enum class Kind : std::uint8_t
    {
        Unreachable,    ///< no answer, or none that can be used
        AddressRefused, ///< it lies where we do not call (`address_not_allowed`)
        OtherIssuer,    ///< it says that it is somebody else
        Refused,        ///< it does not let this person, or us, go on
        NotBelieved     ///< what it says of the person does not hold
    };
    UpstreamFailure(Kind failureKind, const std::string& reason) : std::runtime_error(reason), kind(failureKind) {}
    const Kind kind;
};

/// A session at a provider, as its logout names it: of one subject, one session, or both. Empty members are any.
struct UpstreamSession
{
    std::string subject;
    std::string sid;
};

/// That a session there is over.
struct UpstreamLogout
{
    UpstreamSession session;
    /// The token's own: it is good once.
    std::string tokenId;
};

/// What a provider says of somebody.
struct UpstreamPerson
{
    std::string subject;
    std::string sid;
    std::string acr;
    /// Empty where it says none.
    std::string email;
    bool emailVerified = false;
    std::string name;
    std::string givenName;
    std::string familyName;
};

/// What goes along to a provider.
struct AuthorizationWish
{
    std::string redirectUri;
    std::string state;
    std::string nonce;
    /// S256 (RFC 7636).
    std::string challenge;
    std::string loginHint;
};

/// What came back from it, and what it has to fit to.
struct CodeAnswer
{
    std::string code;
    /// RFC 9207; empty: not sent.
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
    /// Where a browser goes to sign in there. @throws UpstreamFailure
    virtual std::string authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& wish) = 0;
    /// Who came back. @throws UpstreamFailure
    virtual UpstreamPerson redeem(const IdentityProvider& provider, const CodeAnswer& answer) = 0;
    /// Whose session has ended there. @throws UpstreamFailure
    virtual UpstreamLogout readLogout(const IdentityProvider& provider, std::string_view logoutToken) = 0;
    /// Whether it can be used as it is set up; never throws for what the provider does.
    virtual std::vector<ProviderTestStep> test(const IdentityProvider& provider) = 0;
    /// @throws UpstreamFailure of the kinds OtherIssuer and AddressRefused alone: what is not there yet may come
    virtual void requireSetUp(const IdentityProvider& provider) = 0;
};

} // namespace portico::identity
