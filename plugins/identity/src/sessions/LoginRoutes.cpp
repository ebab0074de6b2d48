#include "sessions/LoginRoutes.h"

#include "common/Requests.h"
#include "users/UserStore.h"

#include "portico/Json.h"

namespace portico::identity
{

namespace
{

/// Clients of one's own come with OAuth; until then each service has the one that its pages are.
std::string clientOf(const LoginInput& input)
{
    const auto own = input.serviceId + "-web";
    if (!input.clientId.empty() && input.clientId != own) throw Problem::invalid("client_id", "unknown_client", "There is no such client.");
    return own;
}

void requireMatchingService(const Request& request, const LoginInput& input)
{
    const auto service = requestedService(request);
    if (!isOwnOrigin(request) && service != input.serviceId)
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
}

/// Only after a correct password: nobody else learns the state of an account.
void requireActive(const User& user)
{
    switch (user.status)
    {
    case UserStatus::Active:
        return;
    case UserStatus::PendingVerification:
        throw Problem::forbidden("email_not_verified", "The e-mail address is not verified yet.");
    case UserStatus::Suspended:
        throw Problem::forbidden("account_suspended", "This account is suspended.");
    case UserStatus::Deactivated:
    case UserStatus::Deleted:
        break;
    }
    throw Problem::unauthorized("invalid_credentials", "The address or the password is not right.");
}

} // namespace

void LoginRoutes::declare(Routes& routes)
{
    const RouteOptions login{.summary = "Sign in with a password",
                             .gateway = true,
                             .heavy = true,
                             .idempotencyKey = false,
                             .problems = {"401 invalid_credentials", "403 email_not_verified", "403 account_suspended",
                                          "403 membership_required", "403 login_method_not_allowed", "403 org_policy_mfa_required",
                                          "429 too_many_attempts"}};
    auto alias = login;
    alias.gateway = false;
    alias.hidden = true;
    routes.post("/api/auth/login", access::open(), &LoginRoutes::login, this, login)
        .post("/login", access::open(), &LoginRoutes::login, this, alias)
        .get("/api/auth/login-config", access::open(), &LoginRoutes::config, this,
             {.summary = "What a sign-in page shows for a service",
              .gateway = true,
              .cacheControl = "public, max-age=60",
              .problems = {"404 service_not_found"}});
}

User LoginRoutes::requireUser(const LoginInput& input, const Client& client)
{
    _parts.throttle.countNetwork(client.address);
    auto user = _parts.authenticator.find(input.identifier);
    const auto account = emailKey(input.identifier);
    if (!_parts.throttle.attempt({account, user.has_value()}, [&] { return _parts.authenticator.matches(user, input.password); }))
    {
        // Also for addresses without an account, so that the time does not tell.
        _parts.database.transact(
            [&](Transaction& transaction)
            {
                _parts.audit.record(transaction,
                                    {.type = "session.refused",
                                     .actorType = "anonymous",
                                     .actorId = {},
                                     .client = client,
                                     .target = {},
                                     .organizationId = {},
                                     .serviceId = input.serviceId,
                                     .outcome = "refused"},
                                    _parts.clock.now());
            });
        throw Problem::unauthorized("invalid_credentials", "The address or the password is not right.");
    }
    requireActive(*user);
    return *std::move(user);
}

Reply<TokenResponse> LoginRoutes::login(const Request& request, const Body<LoginInput>& input)
{
    const bool cookies = _parts.cookies.wanted(request);
    requireMatchingService(request, *input);
    SignInRequest wish;
    wish.serviceId = input->serviceId;
    wish.clientId = clientOf(*input);
    wish.organizationId = input->organizationId;
    wish.remember = input->rememberMe;
    wish.amr = {"pwd"};
    wish.client = Client::of(request);
    wish.refreshable = cookies;
    wish.browserSession = cookies && isOwnOrigin(request);
    auto result = _parts.signIns.start(requireUser(*input, wish.client), wish);

    Reply<TokenResponse> reply{std::move(result.response)};
    if (!result.refreshHandle.empty())
        reply.headers.emplace_back("Set-Cookie", _parts.cookies.setRefresh(result.refreshHandle, result.cookieLife));
    if (!result.browserHandle.empty())
        reply.headers.emplace_back("Set-Cookie", _parts.cookies.setBrowserSession(result.browserHandle, result.cookieLife));
    return reply;
}

Reply<LoginConfig> LoginRoutes::config(const Request& request, const Query<LoginConfigQuery>& query)
{
    const auto serviceId = query->serviceId.empty() ? requestedService(request) : query->serviceId;
    const auto catalog = _parts.catalog.snapshot();
    const auto* service = catalog->find(serviceId);
    if (!service || !service->active()) throw Problem(404, "service_not_found", "There is no such service.");
    LoginConfig config;
    config.serviceId = service->serviceId;
    config.displayName = service->name;
    auto tag = '"' + _sha256.hex(toJson(config)).substr(0, 32) + '"';
    return {.record = std::move(config), .etag = std::move(tag)};
}

} // namespace portico::identity
