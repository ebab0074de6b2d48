#include "oauth/ClientAuthentication.h"

#include "clients/ClientKeys.h"
#include "common/Networks.h"
#include "common/OneTimeSecrets.h"
#include "oauth/OAuthError.h"
#include "web/Fields.h"

#include "portico/Crypto.h"
#include "portico/Form.h"
#include "portico/Json.h"

#include <algorithm>
#include <utility>

namespace portico::identity
{

namespace
{

constexpr std::string_view assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// How far the clocks of others may be off, and how long an assertion may be good.
constexpr std::int64_t assertionSkewSeconds = 30;
constexpr std::int64_t assertionLifeSeconds = 600;
/// Limit per network; correctly configured clients fail rarely.
constexpr std::int64_t failuresPerMinute = 60;

struct Sent
{
    std::string clientId;
    std::string secret;
    ClientAuthMethod method = ClientAuthMethod::None;
};

/// RFC 6749, 2.3.1: both parts in the encoding of forms, then base64.
std::optional<Sent> readBasic(std::string_view header)
{
    constexpr std::string_view scheme = "Basic ";
    if (header.size() <= scheme.size() || !equalsIgnoreCase(header.substr(0, scheme.size()), scheme)) return std::nullopt;
    std::string encoded(header.substr(scheme.size()));
    while (!encoded.empty() && encoded.back() == '=') encoded.pop_back();
    std::ranges::replace(encoded, '+', '-');
    std::ranges::replace(encoded, '/', '_');
    const auto text = fromBase64Url(encoded);
    const auto colon = text ? text->find(':') : std::string::npos;
    if (colon == std::string::npos) return std::nullopt;
    try
    {
        const auto decoded = [](const std::string& part)
        {
            const auto fields = parseForm("v=" + part);
            return fields.empty() ? std::string() : fields.front().second;
        };
        return Sent{decoded(text->substr(0, colon)), decoded(text->substr(colon + 1)), ClientAuthMethod::SecretBasic};
    }
    catch (const Problem&)
    {
        return std::nullopt;
    }
}

struct AssertionClaims
{
    std::string iss, sub, jti;
    Json aud;
    std::int64_t exp = 0, iat = 0, nbf = 0;
};

constexpr auto schemaOf(const AssertionClaims*)
{
    return describe(members<&AssertionClaims::iss, &AssertionClaims::sub, &AssertionClaims::jti, &AssertionClaims::aud,
                            &AssertionClaims::exp, &AssertionClaims::iat, &AssertionClaims::nbf>());
}

/// Returns true if the audience is one or more of the three that RFC 9126, 2 names. An assertion that also names another server is rejected
/// (mix-up).
bool namesOnly(const std::string& origin, const Json& aud)
{
    try
    {
        const auto named = audiencesOf(aud);
        const auto isOurs = [&](const std::string& value)
        { return value == origin || value == origin + "/oauth/token" || value == origin + "/oauth/par"; };
        return !named.empty() && std::ranges::all_of(named, isOurs);
    }
    catch (const Problem&)
    {
        return false;
    }
}

} // namespace

ClientAuthentication::ClientAuthentication(Core& core)
    : _core(core),
      _failures(core.state, core.clock,
                {.use = "client-failures", .limit = core.settings.addressAttemptsPerMinute > 0 ? failuresPerMinute : 0})
{
}

bool ClientAuthentication::proves(const OAuthClient& client, const Jws& assertion) const
{
    const auto claims = assertion.claims<AssertionClaims>();
    if (!claims || claims->iss != client.clientId || claims->sub != client.clientId || claims->jti.empty()) return false;
    const auto now = numericDate(_core.clock.now());
    if (claims->exp <= now - assertionSkewSeconds || claims->exp > now + assertionLifeSeconds + assertionSkewSeconds ||
        claims->iat > now + assertionSkewSeconds || claims->nbf > now + assertionSkewSeconds)
        return false;
    if (!namesOnly(_core.origin, claims->aud)) return false;
    const auto keys = _core.clientKeys.of(client, assertion.kid);
    if (!keys) throw OAuthError(503, "temporarily_unavailable", "The client's keys are being read: try again.");
    if (!assertion.isSignedBy(*keys)) return false;
    constexpr std::chrono::seconds life(assertionLifeSeconds + 2 * assertionSkewSeconds);
    return useOnce(_core.state, "client-assertion", client.clientId + ' ' + claims->jti, life);
}

OAuthClient ClientAuthentication::require(const Request& request, const UrlParameters& form) const
{
    const auto network = networkPrefix(request.clientAddress);
    if (const auto open = _failures.look(network); !open.allowed) throw Problem::rateLimited(open.retryAfter.count());
    try
    {
        return requireProven(request, form);
    }
    catch (const OAuthError& error)
    {
        if (error.error() == "invalid_client") _failures.count(network);
        throw;
    }
}

OAuthClient ClientAuthentication::requireProven(const Request& request, const UrlParameters& form) const
{
    const auto header = request.header("Authorization");
    const bool byHeader = !header.empty();
    const auto secret = fieldOf(form, "client_secret");
    const auto assertion = fieldOf(form, "client_assertion");
    if (byHeader + !secret.empty() + !assertion.empty() > 1)
        throw OAuthError::invalidRequest("The client uses more than one authentication method.");
    Sent sent{fieldOf(form, "client_id"), secret, secret.empty() ? ClientAuthMethod::None : ClientAuthMethod::SecretPost};
    if (byHeader)
    {
        const auto basic = readBasic(header);
        if (!basic || (!sent.clientId.empty() && sent.clientId != basic->clientId)) throw OAuthError::invalidClient(true);
        sent = *basic;
    }
    std::optional<Jws> jws;
    if (!assertion.empty())
    {
        if (fieldOf(form, "client_assertion_type") != assertionType) throw OAuthError::invalidClient(false);
        sent.method = ClientAuthMethod::PrivateKeyJwt;
        jws = Jws::parse(assertion);
        const auto claims = jws ? jws->claims<AssertionClaims>() : std::nullopt;
        if (!claims || (!sent.clientId.empty() && sent.clientId != claims->sub)) throw OAuthError::invalidClient(false);
        sent.clientId = claims->sub;
    }
    auto [client, proven] = _core.read(
        [&](Session& session)
        {
            auto found = oauth_clients::find(session, sent.clientId);
            const bool known =
                found && usesSecret(sent.method) && oauth_clients::isSecret(session, found->clientId, sent.secret, _core.clock.now());
            return std::pair(std::move(found), known);
        });
    if (!client) throw OAuthError::invalidClient(byHeader);
    // Accepts only the registered method: a weaker one must not bypass a stronger one.
    const auto wanted = client->tokenEndpointAuthMethod;
    if (sent.method != wanted && !(usesSecret(wanted) && usesSecret(sent.method))) throw OAuthError::invalidClient(byHeader);
    if (wanted == ClientAuthMethod::PrivateKeyJwt) proven = proves(*client, *jws);
    if (wanted != ClientAuthMethod::None && !proven) throw OAuthError::invalidClient(byHeader);
    return *std::move(client);
}

} // namespace portico::identity
