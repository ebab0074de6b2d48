#pragma once

#include "identity/IdentityHost.h"

#include "jose/SigningKey.h"

#include "portico/Crypto.h"

#include <string>
#include <string_view>

namespace portico::tests
{

/// A key of a client that proves to hold it (RFC 9449).
struct DpopKey
{
    identity::SigningKey key = identity::SigningKey::generate();

    struct What
    {
        std::string_view method;
        std::string_view url;
        /// The token that is sent along, if one is.
        std::string_view token = {};
        std::int64_t offset = 0;
        std::string_view nonce = {};
    };
    std::string proof(IdentityHost& host, const What& what) const
    {
        const auto header =
            jsonWith(R"({"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":"$","y":"$"}})", key.x(), key.y());
        const auto now = std::chrono::floor<std::chrono::seconds>(host.context().clock().now()).time_since_epoch().count() + what.offset;
        std::string claims = jsonWith(R"({"jti":"$","htm":"$","htu":"$","iat":$)", randomToken(8), what.method, what.url, now);
        if (!what.token.empty()) claims += jsonWith(R"(,"ath":"$")", toBase64Url(sha256(what.token).bytes()));
        if (!what.nonce.empty()) claims += jsonWith(R"(,"nonce":"$")", what.nonce);
        const auto text = toBase64Url(header) + '.' + toBase64Url(claims + '}');
        return text + '.' + toBase64Url(key.sign(text));
    }
};

} // namespace portico::tests
