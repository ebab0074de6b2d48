#pragma once

#include "identity/BrowserDriver.h"

#include "jose/SigningKey.h"
#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Form.h"

#include <functional>
#include <optional>

namespace portico::tests
{

inline HttpClient::Response answerOf(int status, std::string body = {})
{
    HttpClient::Response response;
    response.status = status;
    response.body = std::move(body);
    return response;
}

/// External OpenID Connect provider with keys, which answers requests to its issuer, and lies as the test configures. Several can coexist;
/// `serve` takes those that it simulates.
class UpstreamProvider
{
public:
    explicit UpstreamProvider(std::string issuerUrl) : issuer(std::move(issuerUrl)), key(identity::SigningKey::generate()) {}

    std::string issuer;
    identity::SigningKey key;
    std::string kid = "one";
    /// Signs instead of `key`, which stays published.
    std::optional<identity::SigningKey> forger;
    /// Algorithm in the token's header; `none` sends no signature.
    std::string alg = "ES256";
    std::string clientId = "portico";
    std::string subject = "248289761001";
    boost::json::object profile = {{"email", "ada@acme.example"}, {"email_verified", true}, {"name", "Ada Lovelace"}};
    /// Changes the claims of an ID token before it is signed.
    std::function<void(boost::json::object&)> edit = [](boost::json::object&) {};
    /// Issuer in its discovery document, and in the answer to the browser; empty: omitted.
    std::string discoveredIssuer = issuer;
    std::string answeredIssuer = issuer;
    bool away = false;
    /// Puts the user's claims into userinfo only, like many providers.
    bool tellsAtUserinfo = false;
    int keysRead = 0;
    int codesRedeemed = 0;

    bool isAsked(const std::string& url) const { return url.starts_with(issuer + '/'); }

    HttpClient::Response serve(const HttpClient::Request& request, Instant now)
    {
        if (away) throw Problem(502, "upstream_failed", "away");
        const auto path = request.url.substr(issuer.size());
        if (path == "/.well-known/openid-configuration") return answerOf(200, discovery());
        if (path == "/jwks") return answerOf(200, keys());
        if (path == "/token") return token(request, now);
        if (path == "/userinfo") return answerOf(200, userinfo());
        return answerOf(404);
    }

    /// Returns the redirect to which the browser is sent after a user has signed in at `location`.
    std::string authorize(const std::string& location)
    {
        const auto question = location.find('?');
        if (!location.starts_with(issuer + "/authorize?")) throw std::runtime_error("not the provider: " + location);
        const auto wanted = parseForm(location.substr(question + 1));
        const auto of = [&](std::string_view name)
        {
            for (const auto& [key_, value] : wanted)
                if (key_ == name) return value;
            return std::string();
        };
        _nonce = of("nonce");
        _challenge = of("code_challenge");
        _redirectUri = of("redirect_uri");
        if (of("code_challenge_method") != "S256" || of("client_id") != clientId) throw std::runtime_error("no PKCE, or not us");
        UrlParameters back = {{"code", "code-1"}, {"state", of("state")}};
        if (!answeredIssuer.empty()) back.emplace_back("iss", answeredIssuer);
        return withQuery(_redirectUri.substr(_redirectUri.find("/sso/")), back);
    }

    std::string sign(const boost::json::object& claims, std::string_view typ = "JWT") const
    {
        const auto header = boost::json::serialize(boost::json::object{{"alg", alg}, {"typ", typ}, {"kid", kid}});
        const auto text = toBase64Url(header) + '.' + toBase64Url(boost::json::serialize(claims));
        if (alg == "none") return text + '.';
        return text + '.' + toBase64Url((forger ? *forger : key).sign(text));
    }

private:
    std::string discovery() const
    {
        return boost::json::serialize(boost::json::object{{"issuer", discoveredIssuer},
                                                          {"authorization_endpoint", issuer + "/authorize"},
                                                          {"token_endpoint", issuer + "/token"},
                                                          {"userinfo_endpoint", issuer + "/userinfo"},
                                                          {"jwks_uri", issuer + "/jwks"},
                                                          {"response_types_supported", boost::json::array{"code"}},
                                                          {"authorization_response_iss_parameter_supported", true}});
    }
    std::string keys()
    {
        ++keysRead;
        boost::json::object jwk = {{"kty", "EC"}, {"crv", "P-256"}, {"use", "sig"}, {"kid", kid}, {"x", key.x()}, {"y", key.y()}};
        return boost::json::serialize(boost::json::object{{"keys", boost::json::array{jwk}}});
    }
    std::string userinfo() const
    {
        auto claims = profile;
        claims["sub"] = subject;
        return boost::json::serialize(claims);
    }
    HttpClient::Response token(const HttpClient::Request& request, Instant now)
    {
        std::string verifier, redirect;
        for (const auto& [name, value] : parseForm(request.body))
        {
            if (name == "code_verifier") verifier = value;
            if (name == "redirect_uri") redirect = value;
        }
        if (toBase64Url(sha256(verifier).bytes()) != _challenge || redirect != _redirectUri)
            return answerOf(400, R"({"error":"invalid_grant"})");
        ++codesRedeemed;
        const auto seconds = toMillis(now) / 1000;
        boost::json::object claims = tellsAtUserinfo ? boost::json::object() : profile;
        claims["iss"] = issuer;
        claims["sub"] = subject;
        claims["aud"] = clientId;
        claims["iat"] = seconds;
        claims["exp"] = seconds + 600;
        claims["nonce"] = _nonce;
        claims["sid"] = "up-1";
        claims["at_hash"] = toBase64Url(sha256("access-1").bytes().substr(0, 16));
        edit(claims);
        return answerOf(200, boost::json::serialize(
                                 boost::json::object{{"id_token", sign(claims)}, {"access_token", "access-1"}, {"token_type", "Bearer"}}));
    }

    std::string _nonce;
    std::string _challenge;
    std::string _redirectUri;
};

} // namespace portico::tests
