#pragma once

#include "jose/Jws.h"
#include "providers/Discovery.h"
#include "providers/UpstreamPauses.h"

#include "portico/Clock.h"

namespace portico::identity
{

struct UpstreamTokens
{
    std::string idToken;
    std::string accessToken;
};

constexpr auto schemaOf(const UpstreamTokens*)
{
    return describe(field<&UpstreamTokens::idToken>("id_token"), field<&UpstreamTokens::accessToken>("access_token"));
}

/// Connector for OpenID Connect providers with discovery: code flow with PKCE, and back-channel logout. Thread-safe.
class OidcConnector final : public ProviderConnector
{
public:
    OidcConnector(HttpClient& http, const Clock& clock, bool plainHttp)
        : _calls(http), _clock(clock), _discovery(http, clock, plainHttp), _pauses(clock)
    {
    }
    std::string authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& request) override;
    UpstreamPerson redeem(const IdentityProvider& provider, const CodeAnswer& answer) override;
    UpstreamLogout readLogout(const IdentityProvider& provider, std::string_view logoutToken) override;
    std::vector<ProviderTestStep> test(const IdentityProvider& provider) override;
    void requireSetUp(const IdentityProvider& provider) override;

private:
    UpstreamTokens exchange(const UpstreamMetadata& metadata, const IdentityProvider& provider, const CodeAnswer& answer);
    /// Requires a token of this type that one of the provider's keys has signed. @throws UpstreamFailure
    void requireSigned(const UpstreamMetadata& metadata, const std::optional<Jws>& jws, std::string_view typ);
    /// Adds userinfo claims if they are of the same subject.
    void complete(const UpstreamMetadata& metadata, const std::string& accessToken, UpstreamPerson& person) const;

    UpstreamCalls _calls;
    const Clock& _clock;
    Discovery _discovery;
    /// Backoff of token endpoints.
    UpstreamPauses _pauses;
};

} // namespace portico::identity
