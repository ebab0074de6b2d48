#pragma once

#include "networks/Network.h"
#include "networks/bluesky/BlueskyClient.h"
#include "networks/bluesky/BlueskyProofs.h"
#include "networks/bluesky/BlueskyServer.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <string>
#include <string_view>

namespace portico::social::bluesky
{

/// OAuth of Bluesky: pushed requests, PKCE and proofs of a key that each account has. Thread-safe; the references outlive it.
class SignIn
{
public:
    SignIn(HttpClient& http, const Clock& clock, const Directories& directories, const Client& client, Proofs& proofs)
        : _http(http), _clock(clock), _directories(directories), _client(client), _proofs(proofs)
    {
    }

    /// Starts the code flow. @param identifier of the account; empty: the person chooses one at `serverUrl` @throws ConnectFault
    ConnectStart begin(std::string_view identifier, std::string_view serverUrl, const ConnectRequest& request) const;
    /// Ends the sign-in: checks that the account's server names the token's issuer. Leaves handle and name empty. @throws ConnectFault
    AccountProfile finish(const PendingSignIn& pending, const ConnectReturn& back) const;
    Refreshed refresh(const NetworkAccount& account) const;
    void revoke(const NetworkAccount& account) const;

private:
    AuthorizationServer issuerOf(std::string_view serverUrl) const;
    AuthorizationServer metadataOf(const std::string& issuer) const;
    Exchanged post(const std::string& url, QueryFields form, const std::string& issuer, const JwtKey& key) const;
    Credentials credentialsOf(const TokenAnswer& tokens, Credentials before) const;

    HttpClient& _http;
    const Clock& _clock;
    const Directories& _directories;
    const Client& _client;
    Proofs& _proofs;
};

} // namespace portico::social::bluesky
