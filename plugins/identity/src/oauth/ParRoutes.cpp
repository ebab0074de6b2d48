#include "oauth/ParRoutes.h"

#include "common/Networks.h"
#include "common/OneTimeSecrets.h"
#include "oauth/AuthorizeRoutes.h"
#include "oauth/OAuthError.h"
#include "web/Fields.h"

#include "portico/Crypto.h"
#include "portico/Form.h"
#include "portico/Json.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view pushedPrefix = "urn:ietf:params:oauth:request_uri:";
constexpr auto openedLife = std::chrono::minutes(10);

OneTimeSecrets<std::string> pushedRequests(StateStore& state) { return {state, "oauth-par"}; }

struct Pushed
{
    std::string requestUri;
    std::int64_t expiresIn = 0;
};

constexpr auto schemaOf(const Pushed*)
{
    return describe(field<&Pushed::requestUri>("request_uri"), field<&Pushed::expiresIn>("expires_in"));
}

} // namespace

bool isPushedRequest(std::string_view requestUri) { return requestUri.starts_with(pushedPrefix); }

std::optional<UrlParameters> pushedRequest(StateStore& state, std::string_view requestUri, std::string_view clientId)
{
    const auto form = pushedRequests(state).look(requestUri);
    if (!form) return std::nullopt;
    auto parameters = parseForm(*form);
    if (fieldOf(parameters, "client_id") != clientId) return std::nullopt;
    // Extends the lifetime, because the user now reads pages and enters a password.
    pushedRequests(state).renew(requestUri, openedLife);
    return parameters;
}

bool takePushedRequest(StateStore& state, std::string_view requestUri) { return pushedRequests(state).redeem(requestUri).has_value(); }

void ParRoutes::declare(Routes& routes)
{
    routes.post("/oauth/par", access::open(), &ParRoutes::push, this,
                {.summary = "Push an authorization request (RFC 9126)",
                 .description = needsClientAuthentication,
                 .bodyLimit = 8 * 1024,
                 .idempotencyKey = false,
                 .crossOrigin = CrossOrigin::anyone(),
                 .consumes = {"application/x-www-form-urlencoded"},
                 .produces = {"application/json"},
                 .statuses = {201},
                 .anyQuery = true});
}

void ParRoutes::bind(const Request& request, UrlParameters& form) const
{
    const auto proof = request.header("DPoP");
    if (proof.empty()) return;
    const auto shown = _dpop.check(proof, {"POST", _core.origin + "/oauth/par"});
    const auto named = fieldOf(form, "dpop_jkt");
    if (shown.verdict != Dpop::Verdict::Good || !(named.empty() || named == shown.jkt))
        throw OAuthError(400, "invalid_dpop_proof", "The proof is invalid, was used before, or has another key than dpop_jkt.");
    if (named.empty()) form.emplace_back("dpop_jkt", shown.jkt);
}

Response ParRoutes::push(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            auto form = formValues(body);
            const auto client = _clients.require(request, form);
            // The authorization endpoint could not tell the client later.
            if (const auto repeated = dropRepetitions(form); !repeated.empty())
                throw OAuthError::invalidRequest(repeated + " is sent more than once.");
            if (!fieldOf(form, "request_uri").empty()) throw OAuthError::invalidRequest("A pushed request must not contain request_uri.");
            // Unauthenticated clients are rate-limited by network.
            if (client.tokenEndpointAuthMethod == ClientAuthMethod::None) _anonymous.require(networkPrefix(request.clientAddress));
            if (!client.isRedirect(fieldOf(form, "redirect_uri"))) throw OAuthError::invalidRequest("The redirect_uri is not registered.");
            // Validates like the authorization endpoint (RFC 9126, 2.1), so that the client gets errors before a browser is involved.
            if (const auto fault = requestFault(_core, client, form); !fault.error.empty())
                throw OAuthError(400, fault.error, fault.description);
            bind(request, form);
            std::erase_if(form,
                          [](const auto& field) {
                              return field.first == "client_id" || field.first.starts_with("client_secret") ||
                                     field.first.starts_with("client_assertion");
                          });
            form.emplace_back("client_id", client.clientId);
            Pushed pushed;
            pushed.expiresIn = _core.settings.lifetimes.pushedRequest.count();
            pushed.requestUri = std::string(pushedPrefix) + randomToken();
            pushedRequests(_core.state).put(pushed.requestUri, toQuery(form), _core.settings.lifetimes.pushedRequest);
            return jsonAnswer(toJson(pushed), 201);
        });
}

} // namespace portico::identity
