#include "oauth/AuthorizationRequest.h"

#include "catalog/CatalogStore.h"
#include "oauth/ClaimsRequest.h"
#include "tokens/Pkce.h"
#include "web/Fields.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace portico::identity
{

namespace
{

/// Parameters that are read; others are ignored (RFC 6749, 3.1).
constexpr std::string_view knownParameters[] = {"client_id",
                                                "redirect_uri",
                                                "request_uri",
                                                "request",
                                                "response_type",
                                                "response_mode",
                                                "scope",
                                                "state",
                                                "nonce",
                                                "code_challenge",
                                                "code_challenge_method",
                                                "dpop_jkt",
                                                "prompt",
                                                "max_age",
                                                "login_hint",
                                                "id_token_hint",
                                                "acr_values",
                                                "claims",
                                                "ui_locales",
                                                "organization_id"};

bool isNumber(std::string_view text)
{
    return !text.empty() && text.size() <= 9 && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

RequestFault invalidRequest(std::string_view description) { return RequestFault::invalid(description); }

} // namespace

RequestFault RequestFault::of(std::string_view error)
{
    constexpr std::pair<std::string_view, std::string_view> words[] = {
        {"login_required", "prompt is none, and no matching user is signed in."},
        {"consent_required", "prompt is none, and the person has not allowed this yet."},
        {"interaction_required", "prompt is none, or the organization demands what the sign-in does not have."},
        {"account_selection_required", "prompt is none, and the person has to choose."},
        {"access_denied", "The person, or the organization, does not allow it."},
        {"invalid_request", "id_token_hint is no ID token of this server."},
        {"unmet_authentication_requirements", "claims or acr_values demand a way of signing in that was not used."}};
    const auto found = std::ranges::find(words, error, &std::pair<std::string_view, std::string_view>::first);
    return {std::string(error), found == std::end(words) ? std::string() : std::string(found->second)};
}

std::string dropRepetitions(UrlParameters& parameters)
{
    std::string repeated;
    std::vector<std::string> seen;
    std::erase_if(parameters,
                  [&](const auto& parameter)
                  {
                      if (parameter.first == "resource") return false;
                      if (std::ranges::find(seen, parameter.first) == seen.end())
                      {
                          seen.push_back(parameter.first);
                          return false;
                      }
                      const bool known = std::ranges::find(knownParameters, parameter.first) != std::end(knownParameters);
                      if (known && repeated.empty()) repeated = parameter.first;
                      return true;
                  });
    return repeated;
}

std::string allowedScope(const OAuthClient& client, std::string_view wanted)
{
    auto words = scopeWords(wanted);
    std::erase_if(words, [&](const std::string& word) { return !client.hasScope(word); });
    return joinScope(words);
}

RequestFault requestFault(Core& core, const OAuthClient& client, const UrlParameters& parameters)
{
    const auto value = [&](std::string_view name) { return fieldOf(parameters, name); };
    const auto mode = value("response_mode");
    if (!client.hasGrant(grant::code))
        return {"unauthorized_client", "The client is not registered for the grant type authorization_code."};
    if (value("response_type").empty()) return invalidRequest("response_type is missing: use code.");
    if (value("response_type") != "code") return {"unsupported_response_type", "response_type should be code."};
    if (!mode.empty() && mode != "query" && mode != "form_post") return invalidRequest("response_mode should be query or form_post.");
    if (!value("request").empty()) return {"request_not_supported", "request is not supported: send the parameters, or push them."};
    if (const auto claims = value("claims"); !claims.empty() && !ClaimsRequest::parse(claims))
        return invalidRequest("claims should be the JSON object of OpenID Connect Core, 5.5.");
    if (allowedScope(client, value("scope")).empty())
        return {"invalid_scope", value("scope").empty() ? "scope is missing." : "scope names nothing that the client is registered for."};
    const auto challenge = value("code_challenge");
    if (!challenge.empty() && !pkce::isChallenge(challenge))
        return invalidRequest("code_challenge should have 43 characters of base64url.");
    // S256 alone: absent means plain (RFC 7636, 4.3).
    if (!challenge.empty() && value("code_challenge_method") != "S256") return invalidRequest("code_challenge_method should be S256.");
    if (challenge.empty() && client.requirePkce) return invalidRequest("code_challenge is missing: the client has to use PKCE.");
    if (challenge.empty() && value("nonce").empty()) return invalidRequest("code_challenge is missing, and nonce, which would do for it.");
    if (const auto prompts = scopeWords(value("prompt")); prompts.size() > 1 && std::ranges::find(prompts, "none") != prompts.end())
        return invalidRequest("prompt is none together with another value.");
    if (const auto age = value("max_age"); !age.empty() && !isNumber(age)) return invalidRequest("max_age should be a number of seconds.");
    for (const auto& resource : valuesOf(parameters, "resource"))
    {
        const auto catalog = core.catalog.snapshot();
        const auto* service = client.serviceId ? catalog->find(*client.serviceId) : nullptr;
        if (resource != core.origin && !(service && service->origin == resource))
            return {"invalid_target", "resource names no service that the client may call."};
    }
    return {};
}

} // namespace portico::identity
