#pragma once

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Authorization server of a network for manually registered applications (RFC 6749).
struct CodeFlowServer
{
    /// For messages: `LinkedIn`.
    std::string_view name;
    std::string_view authorizeUrl;
    std::string_view tokenUrl;
    /// Separated as the server wants them.
    std::string_view scopes;
    /// Scopes where the caller names a page or organization; empty: the same.
    std::string_view scopesOfChoice{};
    /// The server knows PKCE with S256 (RFC 7636).
    bool hasPkce = false;
    /// The client proves itself by HTTP Basic (RFC 6749, 2.3.1); else by fields of the form.
    bool takesBasic = false;
};

/// Result of the code flow.
struct CodeGrant
{
    Credentials credentials;
    std::vector<std::string> scopes;
    /// `ConnectRequest::identifier` of the start: which page or organization the user wants.
    std::string choice;
};

/// This server as a client of one authorization server. A value for one call; the references outlive it.
class CodeFlow
{
public:
    CodeFlow(HttpClient& http, const Clock& clock, const CodeFlowServer& server, std::string clientId, std::string clientSecret)
        : _http(http), _clock(clock), _server(server), _clientId(std::move(clientId)), _clientSecret(std::move(clientSecret))
    {
    }

    ConnectStart start(const ConnectRequest& request) const;
    /// Exchanges the code. @throws ConnectFault
    CodeGrant finish(std::string_view keep, const ConnectReturn& back) const;
    /// Renews by refresh token (RFC 6749, 6). `NotNeeded` without one.
    Refreshed refresh(const Credentials& credentials) const;
    /// Ends a grant (RFC 7009). Errors are ignored.
    void revoke(std::string_view revokeUrl, std::string_view token) const noexcept;

private:
    Exchanged post(std::string_view url, QueryFields form) const;

    HttpClient& _http;
    const Clock& _clock;
    const CodeFlowServer& _server;
    const std::string _clientId, _clientSecret;
};

} // namespace portico::social
