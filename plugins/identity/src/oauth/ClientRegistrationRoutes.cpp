#include "oauth/ClientRegistrationRoutes.h"

#include "audit/Audit.h"
#include "clients/PairwiseSubjects.h"
#include "common/Networks.h"
#include "common/Requests.h"
#include "oauth/OAuthError.h"
#include "records/Organization.h"
#include "sessions/SessionEvents.h"
#include "sessions/SignIn.h"

#include "portico/Crypto.h"
#include "portico/Id.h"

namespace portico::identity
{

namespace
{

constexpr std::string_view manageClients = "identity.oauth_clients:manage";

std::string_view bearerTokenOf(const Request& request)
{
    constexpr std::string_view scheme = "Bearer ";
    const auto header = request.header("Authorization");
    const bool bearer = header.size() > scheme.size() && equalsIgnoreCase(header.substr(0, scheme.size()), scheme);
    return bearer ? header.substr(scheme.size()) : std::string_view();
}

OAuthError invalidRegistrationToken()
{
    OAuthError error(401, "invalid_token", "Send the token that opens this registration.");
    error.withHeader("WWW-Authenticate", R"(Bearer realm="oauth", error="invalid_token")");
    return error;
}

} // namespace

ClientRegistrationRoutes::ClientRegistrationRoutes(Core& core, interfaces::Credentials& credentials)
    : _core(core),
      _credentials(credentials),
      _perNetwork(core.state, core.clock, {"client-registrations", core.settings.formsPerHour, std::chrono::hours(1)})
{
}

void ClientRegistrationRoutes::declare(Routes& routes)
{
    constexpr std::string_view ofClient = "Needs the registration access token of the client in the Authorization header.";
    const auto options = [](std::string_view summary, std::string_view description, bool hasBody, int status = 200)
    {
        RouteOptions made{.summary = summary, .description = description, .idempotencyKey = false, .crossOrigin = CrossOrigin::anyone()};
        made.produces = {"application/json"};
        made.statuses = {status};
        made.anyQuery = true;
        if (!hasBody) return made;
        made.bodyLimit = 64 * 1024;
        made.execution = Execution::Long;
        made.consumes = {"application/json"};
        return made;
    };
    routes
        .post("/oauth/register", access::open(), &ClientRegistrationRoutes::create, this,
              options("Register a client with an initial access token (RFC 7591)",
                      "Needs an access token in the Authorization header, unless the server allows open registration.", true, 201))
        .get("/oauth/register/{client_id}", access::open(), &ClientRegistrationRoutes::show, this,
             options("Read a client's own registration (RFC 7592)", ofClient, false))
        .put("/oauth/register/{client_id}", access::open(), &ClientRegistrationRoutes::update, this,
             options("Replace a client's own registration (RFC 7592)", ofClient, true))
        .del("/oauth/register/{client_id}", access::open(), &ClientRegistrationRoutes::remove, this,
             options("Delete a client's own registration (RFC 7592)", ofClient, false, 204));
}

ClientRegistrationRoutes::Owner ClientRegistrationRoutes::ownerByToken(const Request& request, std::string_view token) const
{
    std::shared_ptr<const Caller> caller;
    try
    {
        interfaces::Credential credential{CredentialKind::AccessToken, token, identityServiceId, request.clientAddress};
        caller = _credentials.validate(credential);
    }
    catch (const Problem& problem)
    {
        if (problem.status() != 401) throw;
        throw invalidRegistrationToken();
    }
    const auto organization = OrganizationId::parse(caller->organizationId);
    // Delegated tokens are rejected like on every route that requires the user in person.
    if (caller->delegated) throw OAuthError(403, "insufficient_scope", "A token of an app registers no clients.");
    if (!caller->impersonatorId.empty()) throw OAuthError(403, "insufficient_scope", "Not allowed while impersonating a user.");
    if (!organization || !caller->may(manageClients))
        throw OAuthError(403, "insufficient_scope", "The token's user may not manage clients of the organization.");
    return {*organization, caller->principalId};
}

ClientRegistrationRoutes::Owner ClientRegistrationRoutes::requireOwner(const Request& request) const
{
    if (request.hasHeader("Authorization")) return ownerByToken(request, bearerTokenOf(request));
    const auto& slug = _core.settings.openRegistrationOwner;
    if (slug.empty()) throw invalidRegistrationToken();
    _perNetwork.require(networkPrefix(request.clientAddress));
    const auto organization = _core.read([&](Session& session) { return organizations::findBySlug(session, slug); });
    if (!organization) throw invalidRegistrationToken();
    return {organization->id, {}};
}

RegisteredClient ClientRegistrationRoutes::describeClient(const OAuthClient& client, std::string token) const
{
    RegisteredClient described;
    static_cast<ClientMetadata&>(described) = ClientMetadata::of(client);
    described.clientIdIssuedAt = std::chrono::floor<std::chrono::seconds>(client.createdAt).time_since_epoch().count();
    described.registrationAccessToken = std::move(token);
    described.registrationClientUri = _core.origin + "/oauth/register/" + client.clientId;
    return described;
}

Response ClientRegistrationRoutes::create(const Request& request, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto owner = requireOwner(request);
            const auto now = _core.clock.now();
            auto client = ClientMetadata::parse(body.data).applyTo({});
            pairwise_subjects::requireSector(_core.context.http(), client);
            client.clientId = std::string(clientIdPrefix) + makeUlid(now);
            client.ownerId = owner.organization;
            const auto token = randomToken();
            const auto made = _core.database.transact(
                [&](Transaction& transaction)
                {
                    auto described = describeClient(oauth_clients::create(transaction, client, {now, owner.userId}), token);
                    transaction.execute("UPDATE oauth_clients SET registration_token_hash = $2 WHERE client_id = $1", client.clientId,
                                        sha256(token).hex());
                    if (usesSecret(client.tokenEndpointAuthMethod))
                        described.clientSecret = oauth_clients::addSecret(transaction, client.clientId, now, now);
                    (owner.userId.empty() ? AuditLog::anonymous(Client::of(request), now)
                                          : AuditLog::ofUser(Client::of(request), owner.userId, now))
                        .in(client.ownerId)
                        .record(transaction, "oauth_client.created", client.clientId);
                    return described;
                });
            return jsonAnswer(toJson(made), 201);
        });
}

OAuthClient ClientRegistrationRoutes::requireRegistered(const Request& request, const std::string& clientId) const
{
    const auto token = bearerTokenOf(request);
    auto session = _core.database.session();
    const auto hash = session.value<std::optional<std::string>>(
        "SELECT registration_token_hash FROM oauth_clients WHERE client_id = $1 AND deleted_at IS NULL", clientId);
    const bool proven = sameSecret(hash.value_or(std::nullopt).value_or(std::string(64, '-')), sha256(token).hex());
    auto client = proven ? oauth_clients::find(session, clientId) : std::nullopt;
    // The client may not change its registration after an operator has changed its status.
    if (!client || client->firstParty || client->serviceId) throw invalidRegistrationToken();
    return *std::move(client);
}

Response ClientRegistrationRoutes::show(const Request& request, const Path<std::string>& clientId) const
{
    return answerOAuth(
        [&]
        {
            const auto client = requireRegistered(request, *clientId);
            return jsonAnswer(toJson(describeClient(client, std::string(bearerTokenOf(request)))));
        });
}

Response ClientRegistrationRoutes::update(const Request& request, const Path<std::string>& clientId, const RawBody& body)
{
    return answerOAuth(
        [&]
        {
            const auto known = requireRegistered(request, *clientId);
            const auto metadata = ClientMetadata::parse(body.data);
            if (metadata.clientId != known.clientId) throw OAuthError::invalidRequest("client_id is that of the registration.");
            const auto wanted = metadata.applyTo(known);
            pairwise_subjects::requireSector(_core.context.http(), wanted);
            const auto now = _core.clock.now();
            const auto made = _core.changes.run(
                [&](Transaction& transaction)
                {
                    organizations::requireOpenWorkspace(transaction, known.ownerId);
                    const OAuthClient changed =
                        oauthClientTable.change(transaction, known.ownerId, known.clientId, IfMatch(request.header("If-Match")), {now, {}},
                                                [&](OAuthClient& client) { client = metadata.applyTo(client); });
                    auto described = describeClient(changed, std::string(bearerTokenOf(request)));
                    if (usesSecret(changed.tokenEndpointAuthMethod) && !usesSecret(known.tokenEndpointAuthMethod))
                        described.clientSecret = oauth_clients::addSecret(transaction, changed.clientId, now, now);
                    AuditLog::anonymous(Client::of(request), now)
                        .in(changed.ownerId)
                        .record(transaction, "oauth_client.updated", changed.clientId);
                    return described;
                });
            return jsonAnswer(toJson(made));
        });
}

Response ClientRegistrationRoutes::remove(const Request& request, const Path<std::string>& clientId)
{
    return answerOAuth(
        [&]
        {
            const auto client = requireRegistered(request, *clientId);
            _core.sessionEvents.ended(_core.changes.run(
                [&](Transaction& transaction)
                {
                    organizations::requireOpenWorkspace(transaction, client.ownerId);
                    const auto now = _core.clock.now();
                    const auto log = AuditLog::anonymous(Client::of(request), now).in(client.ownerId);
                    log.record(transaction, "oauth_client.deleted", client.clientId);
                    return oauth_clients::remove(transaction, client, end_reason::revokedByAdmin, now, log);
                }));
            Response response;
            response.status = 204;
            return response;
        });
}

} // namespace portico::identity
