#pragma once

#include "providers/UpstreamCalls.h"

namespace portico::identity
{

/// Connector for GitHub, and for GitHub Enterprise Server at another issuer. Uses OAuth 2 without ID tokens, so the user is read from the
/// API. GitHub sends no logout notifications. Thread-safe.
class GitHubConnector final : public ProviderConnector
{
public:
    static constexpr std::string_view publicIssuer = "https://github.com";

    explicit GitHubConnector(HttpClient& http) : _calls(http) {}

    std::string authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& request) override;
    UpstreamPerson redeem(const IdentityProvider& provider, const CodeAnswer& answer) override;
    UpstreamLogout readLogout(const IdentityProvider& provider, std::string_view logoutToken) override;
    std::vector<ProviderTestStep> test(const IdentityProvider& provider) override;
    void requireSetUp(const IdentityProvider&) override {}

private:
    std::string ask(const IdentityProvider& provider, std::string_view path, const std::string& accessToken) const;

    UpstreamCalls _calls;
};

} // namespace portico::identity
