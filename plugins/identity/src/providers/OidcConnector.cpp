#include "providers/OidcConnector.h"

#include "web/Urls.h"

#include "portico/Crypto.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

using Kind = UpstreamFailure::Kind;

/// How far the clocks of others may be off.
constexpr std::int64_t clockSkewSeconds = 30;
constexpr std::int64_t oldestTokenSeconds = 600;

/// OpenID Connect Core, 2 and 5.1; Back-Channel Logout, 2.4.
struct UpstreamClaims
{
    std::string iss, sub, azp, nonce, atHash, acr, sid, jti;
    Json aud, events;
    std::int64_t exp = 0, iat = 0;
    std::string email, name, givenName, familyName;
    /// Some write it as a text.
    Json emailVerified;
};

constexpr auto schemaOf(const UpstreamClaims*)
{
    return describe(members<&UpstreamClaims::iss, &UpstreamClaims::sub, &UpstreamClaims::azp, &UpstreamClaims::nonce>(),
                    field<&UpstreamClaims::atHash>("at_hash"),
                    members<&UpstreamClaims::acr, &UpstreamClaims::sid, &UpstreamClaims::jti, &UpstreamClaims::aud, &UpstreamClaims::events,
                            &UpstreamClaims::exp, &UpstreamClaims::iat, &UpstreamClaims::email, &UpstreamClaims::name>(),
                    field<&UpstreamClaims::givenName>("given_name"), field<&UpstreamClaims::familyName>("family_name"),
                    field<&UpstreamClaims::emailVerified>("email_verified"));
}

struct LogoutEvents
{
    Json logout;
};

constexpr auto schemaOf(const LogoutEvents*)
{
    return describe(field<&LogoutEvents::logout>("http://schemas.openid.net/event/backchannel-logout"));
}

UpstreamFailure notBelieved(const std::string& what) { return {Kind::NotBelieved, what}; }

bool isTrue(const Json& json) { return json.text == "true" || json.text == R"("true")"; }

/// Requires this client as audience. With several audiences it must be the authorized party (3.1.3.7, 3 to 5).
void requireAudience(const UpstreamClaims& claims, const std::string& clientId)
{
    const auto named = readUpstream([&] { return audiencesOf(claims.aud); }, Kind::NotBelieved);
    if (std::ranges::find(named, clientId) == named.end()) throw notBelieved("The token is for another client.");
    if ((named.size() > 1 || !claims.azp.empty()) && claims.azp != clientId) throw notBelieved("The token was given to another client.");
}

void requireTimes(const UpstreamClaims& claims, std::int64_t now)
{
    // A logout token of before 2023 has none.
    if ((claims.exp != 0 || claims.events.text == "null") && claims.exp <= now - clockSkewSeconds)
        throw notBelieved("The token has expired.");
    if (claims.iat > now + clockSkewSeconds || claims.iat < now - oldestTokenSeconds)
        throw notBelieved("The token was issued at another time: compare the clocks.");
}

std::string basicCredentials(const std::string& clientId, const std::string& secret)
{
    // RFC 6749, 2.3.1: both parts in the encoding of forms; the ordinary alphabet of base64.
    auto text = toBase64Url(encodeUrl(clientId) + ':' + encodeUrl(secret));
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    text.append((4 - text.size() % 4) % 4, '=');
    return "Basic " + text;
}

void read(UpstreamPerson& person, const UpstreamClaims& claims)
{
    if (!claims.email.empty())
    {
        person.email = claims.email;
        person.emailVerified = isTrue(claims.emailVerified);
    }
    if (!claims.name.empty()) person.name = claims.name;
    if (!claims.givenName.empty()) person.givenName = claims.givenName;
    if (!claims.familyName.empty()) person.familyName = claims.familyName;
}

} // namespace

std::string OidcConnector::authorizationUrl(const IdentityProvider& provider, const AuthorizationWish& request)
{
    const auto metadata = _discovery.metadata(provider.issuer);
    std::string scope = "openid";
    for (const auto& word : provider.scopes)
        if (word != "openid") scope += ' ' + word;
    UrlParameters parameters = {{"response_type", "code"},
                                {"client_id", provider.clientId},
                                {"redirect_uri", request.redirectUri},
                                {"scope", scope},
                                {"state", request.state},
                                {"nonce", request.nonce},
                                {"code_challenge", request.challenge},
                                {"code_challenge_method", "S256"}};
    if (!request.loginHint.empty()) parameters.emplace_back("login_hint", request.loginHint);
    return withQuery(metadata.authorizationEndpoint, parameters);
}

UpstreamTokens OidcConnector::exchange(const UpstreamMetadata& metadata, const IdentityProvider& provider, const CodeAnswer& answer)
{
    _pauses.require(provider.issuer);
    UrlParameters form = {{"grant_type", "authorization_code"},
                          {"code", answer.code},
                          {"redirect_uri", answer.redirectUri},
                          {"code_verifier", answer.verifier}};
    UpstreamCalls::Headers headers;
    const auto& methods = metadata.tokenEndpointAuthMethods;
    const auto takes = [&](std::string_view method) { return std::ranges::find(methods, method) != methods.end(); };
    const bool byForm = !takes("client_secret_basic") && takes("client_secret_post");
    if (!answer.clientSecret.empty() && !byForm)
        headers.emplace_back("Authorization", basicCredentials(provider.clientId, answer.clientSecret));
    else
        form.emplace_back("client_id", provider.clientId);
    if (!answer.clientSecret.empty() && byForm) form.emplace_back("client_secret", answer.clientSecret);
    const auto reply = [&]
    {
        try
        {
            return _calls.post(metadata.tokenEndpoint, toQuery(form), std::move(headers));
        }
        catch (const UpstreamFailure&)
        {
            _pauses.failed(provider.issuer);
            throw;
        }
    }();
    _pauses.answered(provider.issuer);
    if (reply.status != 200)
        throw UpstreamFailure(Kind::Refused, "The token endpoint answered " + std::to_string(reply.status) + " to the code.");
    auto tokens = readUpstream<UpstreamTokens>(reply.body);
    if (tokens.idToken.empty()) throw notBelieved("The token endpoint gave no ID token.");
    return tokens;
}

void OidcConnector::requireSigned(const UpstreamMetadata& metadata, const std::optional<Jws>& jws, std::string_view typ)
{
    // Rejects signed tokens of another type (RFC 8725, 3.11).
    if (!jws || !(jws->typ.empty() || equalsIgnoreCase(jws->typ, "JWT") || equalsIgnoreCase(jws->typ, typ)))
        throw notBelieved("The token is not one of its kind.");
    const auto isNamed = [&](const JsonWebKey& key) { return jws->kid.empty() || key.kid() == jws->kid; };
    auto keys = _discovery.keys(metadata);
    if (std::ranges::none_of(*keys, isNamed)) keys = _discovery.freshKeys(metadata);
    // A key knows RS256, PS256 and ES256 only: `none` and MACs verify under none.
    if (!jws->isSignedBy(*keys)) throw notBelieved("No key of the provider has signed the token.");
}

UpstreamPerson OidcConnector::redeem(const IdentityProvider& provider, const CodeAnswer& answer)
{
    const auto metadata = _discovery.metadata(provider.issuer);
    // Checked before the code is sent (RFC 9207, 2.4).
    if (answer.iss.empty() ? metadata.issParameter : answer.iss != provider.issuer)
        throw UpstreamFailure(Kind::OtherIssuer, "The answer comes from another issuer.");
    const auto tokens = exchange(metadata, provider, answer);
    const auto jws = Jws::parse(tokens.idToken);
    requireSigned(metadata, jws, "JWT");
    const auto claims = readUpstream<UpstreamClaims>(jws->payload, Kind::NotBelieved);
    if (claims.iss != provider.issuer) throw notBelieved("The token is of another issuer.");
    requireAudience(claims, provider.clientId);
    requireTimes(claims, numericDate(_clock.now()));
    if (claims.nonce.empty() || !sameSecret(claims.nonce, answer.nonce)) throw notBelieved("The token belongs to another sign-in.");
    if (!claims.atHash.empty() && claims.atHash != toBase64Url(sha256(tokens.accessToken).bytes().substr(0, 16)))
        throw notBelieved("The access token is not the one that belongs to the ID token.");
    if (claims.sub.empty() || claims.sub.size() > 255) throw notBelieved("The token has no valid subject.");
    UpstreamPerson person;
    person.subject = claims.sub;
    person.sid = claims.sid;
    person.acr = claims.acr;
    read(person, claims);
    if (person.email.empty()) complete(metadata, tokens.accessToken, person);
    return person;
}

void OidcConnector::complete(const UpstreamMetadata& metadata, const std::string& accessToken, UpstreamPerson& person) const
{
    if (metadata.userinfoEndpoint.empty() || accessToken.empty()) return;
    UpstreamClaims claims;
    try
    {
        claims = readUpstream<UpstreamClaims>(_calls.get(metadata.userinfoEndpoint, {{"Authorization", "Bearer " + accessToken}}));
    }
    catch (const UpstreamFailure&)
    {
        // The user is identified; only their name is missing.
        return;
    }
    // Rejects userinfo of another subject, against substituted tokens (5.3.2).
    if (claims.sub == person.subject) read(person, claims);
}

UpstreamLogout OidcConnector::readLogout(const IdentityProvider& provider, std::string_view logoutToken)
{
    // Anyone may send a logout token. Checks audience and issuer before the provider is contacted.
    const auto jws = Jws::parse(logoutToken);
    if (!jws) throw notBelieved("This logout_token is not a readable JWT.");
    const auto claims = readUpstream<UpstreamClaims>(jws->payload, Kind::NotBelieved);
    if (claims.iss != provider.issuer) throw notBelieved("The token is of another issuer.");
    requireAudience(claims, provider.clientId);
    requireTimes(claims, numericDate(_clock.now()));
    requireSigned(_discovery.metadata(provider.issuer), jws, "logout+jwt");
    const auto events = claims.events.text.starts_with('{') ? claims.events.text : std::string("{}");
    if (!readUpstream<LogoutEvents>(events, Kind::NotBelieved).logout.text.starts_with('{') || !claims.nonce.empty() || claims.jti.empty())
        throw notBelieved("The token is not a logout token.");
    if (claims.sub.empty() && claims.sid.empty()) throw notBelieved("The token names neither a person nor a session.");
    return {{claims.sub, claims.sid}, claims.jti};
}

std::vector<ProviderTestStep> OidcConnector::test(const IdentityProvider& provider)
{
    std::vector<ProviderTestStep> steps;
    try
    {
        const auto metadata = _discovery.readNow(provider.issuer);
        steps.push_back({"discovery", true, "The discovery document was read, and names the issuer."});
        const auto keys = _discovery.readKeysNow(metadata);
        steps.push_back({"keys", !keys->empty(),
                         keys->empty() ? "No key that signs with RS256, PS256 or ES256." : std::to_string(keys->size()) + " keys."});
    }
    catch (const UpstreamFailure& failure)
    {
        steps.push_back({steps.empty() ? "discovery" : "keys", false, failure.what()});
    }
    return steps;
}

void OidcConnector::requireSetUp(const IdentityProvider& provider)
{
    try
    {
        _discovery.readNow(provider.issuer);
    }
    catch (const UpstreamFailure& failure)
    {
        if (failure.kind == Kind::OtherIssuer || failure.kind == Kind::AddressRefused) throw;
    }
}

} // namespace portico::identity
