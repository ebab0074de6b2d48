#include "oauth/ClientMetadata.h"

#include "oauth/OAuthError.h"

#include "portico/Json.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace portico::identity
{

namespace
{

OAuthError invalidMetadata(std::string_view description) { return {400, "invalid_client_metadata", description}; }

/// Removes null members, which count as absent (RFC 7592, 2.2). Returns text that is not an object unchanged.
std::string withoutNulls(std::string_view body)
{
    body = withoutByteOrderMark(body);
    if (!isJson(body)) return std::string(body);
    auto value = boost::json::parse({body.data(), body.size()});
    auto* members = value.if_object();
    if (members == nullptr) return std::string(body);
    boost::json::object kept;
    for (auto& [name, member] : *members)
        if (!member.is_null()) kept.emplace(name, std::move(member));
    return std::string(boost::json::serialize(kept));
}

template <class E>
E chosen(std::string_view text, std::string_view member)
{
    const auto value = parseEnum<E>(text);
    if (!value) throw invalidMetadata(std::string(member) + " has a value that this server does not know.");
    return *value;
}

ClientType typeOf(const ClientMetadata& metadata)
{
    if (metadata.tokenEndpointAuthMethod != toString(ClientAuthMethod::None)) return ClientType::Confidential;
    return metadata.applicationType == "native" ? ClientType::Native : ClientType::Public;
}

/// Restricts self-registered clients to grants that sign users in. Administrators grant the others.
void requireModest(const ClientMetadata& metadata)
{
    const auto modest = [](const std::string& type) { return type == grant::code || type == grant::refresh || type == grant::device; };
    if (!std::ranges::all_of(metadata.grantTypes, modest))
        throw invalidMetadata("grant_types may be authorization_code, refresh_token and device_code.");
    if (hasWord(metadata.scope, "scim")) throw invalidMetadata("The scope scim is given by an administrator.");
    const bool code = std::ranges::find(metadata.grantTypes, grant::code) != metadata.grantTypes.end();
    const auto wanted = code ? std::vector<std::string>{"code"} : std::vector<std::string>();
    if (metadata.responseTypes != wanted && !(metadata.responseTypes == ClientMetadata().responseTypes && !code))
        throw invalidMetadata("The only response type is code.");
}

} // namespace

ClientMetadata ClientMetadata::parse(std::string_view body)
{
    try
    {
        return fromStoredJson<ClientMetadata>(withoutNulls(body));
    }
    catch (const Problem& problem)
    {
        throw invalidMetadata(problem.detail());
    }
}

ClientMetadata ClientMetadata::of(const OAuthClient& client)
{
    ClientMetadata metadata;
    metadata.clientId = client.clientId;
    metadata.clientName = client.name;
    metadata.applicationType = client.type == ClientType::Native ? "native" : "web";
    metadata.redirectUris = client.redirectUris;
    metadata.postLogoutRedirectUris = client.postLogoutRedirectUris;
    metadata.frontchannelLogoutUri = client.frontchannelLogoutUri;
    metadata.backchannelLogoutUri = client.backchannelLogoutUri;
    metadata.grantTypes = client.grantTypes;
    if (!client.hasGrant(grant::code)) metadata.responseTypes.clear();
    metadata.scope = joinScope(client.scopes);
    metadata.tokenEndpointAuthMethod = toString(client.tokenEndpointAuthMethod);
    metadata.jwks = client.jwks;
    metadata.jwksUri = client.jwksUri;
    metadata.requirePushedAuthorizationRequests = client.requirePar;
    metadata.dpopBoundAccessTokens = client.dpopBoundAccessTokens;
    metadata.idTokenSignedResponseAlg = toString(client.idTokenSignedResponseAlg);
    metadata.subjectType = client.subjectType;
    metadata.sectorIdentifierUri = client.sectorIdentifierUri;
    metadata.logoUri = client.logoUri;
    metadata.tosUri = client.tosUri;
    metadata.policyUri = client.policyUri;
    return metadata;
}

OAuthClient ClientMetadata::applyTo(OAuthClient client) const
{
    requireModest(*this);
    client.name = clientName.empty() ? "App" : clientName;
    client.type = typeOf(*this);
    client.redirectUris = redirectUris;
    client.postLogoutRedirectUris = postLogoutRedirectUris;
    client.frontchannelLogoutUri = frontchannelLogoutUri;
    client.backchannelLogoutUri = backchannelLogoutUri;
    client.grantTypes = grantTypes;
    client.scopes = scopeWords(scope);
    client.tokenEndpointAuthMethod = chosen<ClientAuthMethod>(tokenEndpointAuthMethod, "token_endpoint_auth_method");
    client.jwks = jwks;
    client.jwksUri = jwksUri;
    client.requirePar = requirePushedAuthorizationRequests;
    client.dpopBoundAccessTokens = dpopBoundAccessTokens;
    client.idTokenSignedResponseAlg = chosen<IdTokenAlgorithm>(idTokenSignedResponseAlg, "id_token_signed_response_alg");
    client.subjectType = subjectType;
    client.sectorIdentifierUri = sectorIdentifierUri;
    client.logoUri = logoUri;
    client.tosUri = tosUri;
    client.policyUri = policyUri;
    try
    {
        validate(client);
        oauth_clients::check(client);
    }
    catch (const Problem& problem)
    {
        const auto& errors = problem.errors();
        if (errors.empty()) throw;
        const bool redirect = errors.front().field.starts_with("redirect_uris");
        throw OAuthError(400, redirect ? "invalid_redirect_uri" : "invalid_client_metadata",
                         errors.front().field + ": " + errors.front().message);
    }
    return client;
}

} // namespace portico::identity
