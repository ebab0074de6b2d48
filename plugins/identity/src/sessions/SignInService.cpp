#include "sessions/SignInService.h"

#include "common/Encoding.h"
#include "common/Networks.h"
#include "organizations/OrganizationStore.h"
#include "permissions/AccessStore.h"
#include "sessions/SignInStore.h"
#include "users/UserStore.h"

#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

bool holds(const std::vector<std::string>& list, std::string_view value) { return std::ranges::find(list, value) != list.end(); }

void requirePolicy(const SecurityPolicy& policy, const std::vector<std::string>& amr, std::string_view acr)
{
    const bool byPassword = holds(amr, "pwd");
    if (byPassword && !policy.allowedLoginMethods.empty() && !holds(policy.allowedLoginMethods, "password"))
        throw Problem::forbidden("login_method_not_allowed", "This organization does not allow sign-in with a password.");
    if (policy.mfaRequired && acr == "aal1")
        throw Problem::forbidden("org_policy_mfa_required", "This organization asks for a second factor.");
}

} // namespace

std::optional<Organization> SignInService::requireContext(Session& session, const Catalog& catalog, const User& user,
                                                          const std::optional<OrganizationId>& organizationId, std::string_view serviceId,
                                                          const std::vector<std::string>& amr, std::string_view acr) const
{
    const auto standing = access_facts::standing(session, user.id.text(), organizationId, user.platformRole);
    // One answer for organizations that do not exist, that the user is not in, and that are closed.
    if (!standing.inGoodStanding) throw Problem::forbidden("membership_required", "You are not a member of this organization.");
    const auto* service = catalog.find(serviceId);
    if (!service || !mayEnter(*service, access_facts::input(session, standing, user.id.text(), serviceId)))
        throw Problem::forbidden("service_access_denied", "This service is not open to you in this context.");
    if (!organizationId) return std::nullopt;
    auto organization = organizations::find(session, organizationId->text());
    if (organization) requirePolicy(organization->securityPolicy, amr, acr);
    return organization;
}

void SignInService::move(Session& session, const Catalog& catalog, const User& user, SignIn& signIn,
                         const std::optional<OrganizationId>& organizationId) const
{
    const auto organization = requireContext(session, catalog, user, organizationId, signIn.serviceId, signIn.amr, signIn.acr);
    const auto now = _clock.now();
    if (organization)
    {
        const auto end = signIn.createdAt + std::chrono::hours(organization->securityPolicy.maxSessionHours);
        if (end <= now)
            throw Problem::forbidden("org_policy_session_too_old", "This organization asks for a newer sign-in: sign in again.");
        sign_ins::limit(session, signIn, end, std::chrono::hours(organization->securityPolicy.idleHours), now);
    }
    sign_ins::setContext(session, signIn, organizationId, now);
}

/// The organization named, else the context last used at this service, else the only organization, else the first that has access, else
/// personal.
std::optional<OrganizationId> SignInService::chooseContext(Session& session, const User& user, const SignInRequest& request) const
{
    if (request.organizationId) return request.organizationId;
    const auto mine = organizations::ofUser(session, user.id.text());
    if (const auto last = sign_ins::lastContext(session, user.id.text(), request.serviceId))
    {
        if (!*last) return std::nullopt;
        const auto found = std::ranges::find_if(mine, [&](const MyOrganization& candidate) { return candidate.id.text() == **last; });
        if (found != mine.end()) return found->id;
    }
    if (mine.size() == 1) return mine.front().id;
    for (const auto& candidate : mine)
        if (organizations::hasService(session, candidate.id.text(), request.serviceId)) return candidate.id;
    return std::nullopt;
}

SignIn SignInService::describe(const User& user, const SignInRequest& request, const std::optional<Organization>& organization) const
{
    const auto now = _clock.now();
    SignIn signIn;
    signIn.id = SessionId::make(now);
    signIn.userId = user.id;
    signIn.serviceId = request.serviceId;
    signIn.clientId = request.clientId;
    signIn.ipPrefix = networkPrefix(request.client.address);
    signIn.userAgent = request.client.userAgent;
    signIn.amr = request.amr;
    signIn.authTime = signIn.createdAt = signIn.updatedAt = signIn.lastSeenAt = now;
    std::chrono::seconds life = request.remember ? _settings.refreshAbsolute : _settings.browserSession;
    if (organization)
    {
        signIn.organizationId = organization->id;
        life = std::min<std::chrono::seconds>(life, std::chrono::hours(organization->securityPolicy.maxSessionHours));
    }
    signIn.expiresAt = now + life;
    return signIn;
}

std::string SignInService::startBrowserSession(Session& session, SignIn& signIn, std::string_view id)
{
    const auto handle = toBase64Url(randomBytes(32));
    sign_ins::insertBrowserSession(session, id, signIn.userId.text(), _sha256.hex(handle),
                                   std::min(signIn.createdAt + _settings.refreshIdle, signIn.expiresAt), signIn.expiresAt,
                                   signIn.createdAt);
    signIn.browserSessionId = id;
    return handle;
}

SignedIn SignInService::start(const User& user, const SignInRequest& request)
{
    const auto catalog = _catalog.snapshot();
    SignedIn result;
    SignIn signIn;
    _database.transact(
        [&](Transaction& transaction)
        {
            const auto context = chooseContext(transaction, user, request);
            const auto organization = requireContext(transaction, *catalog, user, context, request.serviceId, request.amr, "aal1");
            signIn = describe(user, request, organization);
            if (request.browserSession) result.browserHandle = startBrowserSession(transaction, signIn, makeUlid(signIn.createdAt));
            sign_ins::insert(transaction, signIn);
            const auto idle = organization ? std::min<std::chrono::seconds>(_settings.refreshIdle,
                                                                            std::chrono::hours(organization->securityPolicy.idleHours))
                                           : _settings.refreshIdle;
            if (request.refreshable)
                result.refreshHandle =
                    _families.start(transaction, signIn, {idle, signIn.expiresAt, request.remember}, request.client.origin);
            users::noteLogin(transaction, user.id, signIn.createdAt);
            _audit.record(transaction,
                          {.type = "session.created",
                           .actorType = "user",
                           .actorId = user.id.text(),
                           .client = request.client,
                           .target = signIn.id.text(),
                           .organizationId = context ? std::optional(context->text()) : std::nullopt,
                           .serviceId = request.serviceId},
                          signIn.createdAt);
        });
    if (request.remember) result.cookieLife = std::chrono::floor<std::chrono::seconds>(signIn.expiresAt - signIn.createdAt);
    User shown = user;
    shown.lastLoginAt = signIn.createdAt;
    result.response = _issuer.issue(signIn, std::move(shown));
    return result;
}

} // namespace portico::identity
