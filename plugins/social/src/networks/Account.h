#pragma once

#include "portico/Instant.h"
#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Credentials with which this server acts for an account. Rows keep them sealed; answers and logs never contain them.
struct Credentials
{
    std::string accessToken;
    std::string refreshToken;
    /// When the access token was issued and when it expires; empty: it does not expire.
    std::optional<Instant> issuedAt;
    std::optional<Instant> expiresAt;
    /// The secret that signs requests to a webhook.
    std::string signingSecret;
    /// Mastodon: this server's registration at the instance.
    std::string clientId;
    std::string clientSecret;
    /// Bluesky by OAuth: the private key of which each request has a proof, as PEM; empty: the token alone is enough.
    std::string dpopKey;
    /// Bluesky by OAuth: the server that issues the tokens.
    std::string issuer;
    /// Limits of the account's server, where they differ from the network's; 0: no difference.
    std::int64_t maxText = 0;
    std::int64_t maxImages = 0;
    std::int64_t maxImageBytes = 0;
    std::int64_t maxVideoBytes = 0;
    std::int64_t urlLength = 0;
};

constexpr auto schemaOf(const Credentials*)
{
    return describe(members<&Credentials::accessToken, &Credentials::refreshToken, &Credentials::issuedAt, &Credentials::expiresAt,
                            &Credentials::signingSecret, &Credentials::clientId, &Credentials::clientSecret, &Credentials::dpopKey,
                            &Credentials::issuer, &Credentials::maxText, &Credentials::maxImages, &Credentials::maxImageBytes,
                            &Credentials::maxVideoBytes, &Credentials::urlLength>());
}

/// An account at a network, opened for a call.
struct NetworkAccount
{
    /// The network's own id: a DID, a number, a URL.
    std::string externalId;
    std::string handle;
    /// The account's server: Mastodon instance, Bluesky PDS, webhook URL. Without a slash at the end but for a webhook.
    std::string serverUrl;
    Credentials credentials;
};

/// Profile that a network returns when an account is connected or checked.
struct AccountProfile
{
    std::string externalId;
    /// Type: `account`, `page` or `organization`.
    std::string accountType = "account";
    std::string displayName;
    std::string handle;
    std::string avatarUrl;
    std::string serverUrl;
    std::vector<std::string> scopes;
    Credentials credentials;
};

} // namespace portico::social
