#include "signin/SignInService.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"
#include "catalog/ServiceAccess.h"
#include "common/Networks.h"
#include "permissions/Evaluator.h"
#include "records/Organization.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SignIn.h"
#include "users/Reactivation.h"
#include "users/User.h"

#include "portico/Crypto.h"
#include "portico/Id.h"
#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{
Problem tooOld() { return Problem::forbidden("org_policy_session_too_old", "This organization asks for a newer sign-in: sign in again."); }
} // namespace

std::optional<Organization> SignInService::requireContext(Session& session, const Catalog& catalog, const User& user,
                                                          const std::optional<OrganizationId>& organizationId, std::string_view serviceId,
                                                          const SignInProof& proof, std::string_view address, bool home) const
{
    const auto standing = access_facts::standing(session, user, organizationId, proof);
    if (!platform_power::scopeOf(session, proof.amr).allows(organizationId) && !(home && !organizationId))
        throw Problem::forbidden("login_method_not_allowed",
                                 "This sign-in came through the provider of one organization: sign in with your own password or passkey.");
    // One answer for organizations that do not exist, that the user is not in, and that are closed.
    if (!standing.inGoodStanding) throw Problem::forbidden("membership_required", "You are not a member of this organization.");
    const auto* service = catalog.find(serviceId);
    if (!service || !mayEnter(*service, access_facts::input(session, standing, serviceId)))
        throw Problem::forbidden("service_access_denied", "This service is not open to you in this context.");
    if (!organizationId) return std::nullopt;
    auto organization = organizations::find(session, *organizationId);
    if (!organization) return organization;
    requirePolicy(organization->securityPolicy, proof.amr, proof.acr, address);
    if (proof.authTime + std::chrono::hours(organization->securityPolicy.maxSessionHours) <= proof.now) throw tooOld();
    return organization;
}

void SignInService::requireRecentUse(Session& session, const SignInRequest& request, const std::optional<Organization>& organization) const
{
    const auto* browser = std::get_if<OfBrowser>(&request.lifetime);
    if (!browser || !organization) return;
    const auto authTime = proofOf(request).authTime;
    const auto last = std::max(authTime, sign_ins::lastUse(session, browser->sessionId, organization->id).value_or(authTime));
    if (last + std::chrono::hours(organization->securityPolicy.idleHours) <= _core.clock.now()) throw tooOld();
}

void SignInService::move(Transaction& transaction, const Catalog& catalog, const User& user, SignIn& signIn,
                         const std::optional<OrganizationId>& organizationId, std::string_view address) const
{
    const auto now = _core.clock.now();
    const auto organization =
        requireContext(transaction, catalog, user, organizationId, signIn.serviceId, SignInProof::of(signIn, now), address, false);
    if (organization)
        sign_ins::limit(transaction, signIn, signIn.authTime + std::chrono::hours(organization->securityPolicy.maxSessionHours),
                        std::chrono::hours(organization->securityPolicy.idleHours), now);
    sign_ins::setContext(transaction, signIn, organizationId, now);
}

SignInProof SignInService::proofOf(const SignInRequest& request) const
{
    const auto now = _core.clock.now();
    return {request.amr, request.acr, request.authTime.value_or(now), now};
}

/// The organization named, else the context last used at this service, else the only organization, else the first that has access, else
/// personal.
std::optional<OrganizationId> SignInService::chooseContext(Session& session, const User& user, const SignInRequest& request) const
{
    if (request.organizationId || request.personal) return request.organizationId;
    if (const auto scope = platform_power::scopeOf(session, request.amr); scope.limited) return scope.organization;
    const auto mine = organizations::ofUser(session, user.id);
    if (const auto last = sign_ins::lastContext(session, user.id.text(), request.serviceId))
    {
        if (!*last) return std::nullopt;
        const auto found = std::ranges::find_if(mine, [&](const MyOrganization& candidate) { return candidate.id == **last; });
        if (found != mine.end()) return found->id;
    }
    if (mine.size() == 1) return mine.front().id;
    for (const auto& candidate : mine)
        if (service_access::has(session, candidate.id, request.serviceId)) return candidate.id;
    return std::nullopt;
}

SignInService::Life SignInService::lifeOf(const SignInRequest& request, const std::optional<Organization>& organization) const
{
    const auto& settings = _core.settings;
    Life life{settings.refreshIdle, request.remember ? settings.refreshAbsolute : settings.browserSession};
    if (request.native) life = {settings.nativeIdle, settings.nativeAbsolute};
    if (!organization) return life;
    const auto& policy = organization->securityPolicy;
    return {std::min<std::chrono::seconds>(life.idle, std::chrono::hours(policy.idleHours)),
            std::min<std::chrono::seconds>(life.absolute, std::chrono::hours(policy.maxSessionHours))};
}

SignIn SignInService::describe(const User& user, const SignInRequest& request, const std::optional<Organization>& organization) const
{
    const auto now = _core.clock.now();
    SignIn signIn;
    signIn.id = SessionId::make(now);
    signIn.userId = user.id;
    if (!request.thirdParty) signIn.serviceId = request.serviceId;
    signIn.clientId = request.clientId;
    signIn.ipPrefix = networkPrefix(request.client.address);
    signIn.userAgent = request.client.userAgent;
    signIn.amr = request.amr;
    signIn.acr = request.acr;
    signIn.scope = request.scope;
    signIn.dpopJkt = request.dpopJkt;
    signIn.dpopBound = request.dpopJkt.has_value();
    signIn.createdAt = signIn.updatedAt = signIn.lastSeenAt = now;
    signIn.authTime = request.authTime.value_or(now);
    signIn.subject = request.subject;
    if (organization) signIn.organizationId = organization->id;
    signIn.expiresAt = now + lifeOf(request, organization).absolute;
    if (request.impersonator)
    {
        signIn.impersonatorId = request.impersonator->userId;
        signIn.impersonatorSessionId = request.impersonator->id;
        signIn.expiresAt = std::min({signIn.expiresAt, now + request.impersonation, request.impersonator->expiresAt});
    }
    if (request.until) signIn.expiresAt = std::min(signIn.expiresAt, *request.until);
    if (organization)
        signIn.expiresAt = std::min(signIn.expiresAt, signIn.authTime + std::chrono::hours(organization->securityPolicy.maxSessionHours));
    if (const auto* browser = std::get_if<OfBrowser>(&request.lifetime))
    {
        signIn.browserSessionId = browser->sessionId;
        signIn.expiresAt = std::min(signIn.expiresAt, browser->expiresAt);
    }
    return signIn;
}

/// If the organization's policy forbids its own provider, the user is signed in at identity only, in personal context.
bool SignInService::isHome(const SignInRequest& request) { return request.serviceId == identityServiceId && request.provider.has_value(); }

std::optional<OrganizationId> SignInService::contextFor(const User& user, const SignInRequest& request) const
{
    const auto catalog = _core.catalog.snapshot();
    auto session = _core.database.session();
    auto context = chooseContext(session, user, request);
    requireRecentUse(
        session, request,
        requireContext(session, *catalog, user, context, request.serviceId, proofOf(request), request.client.address, isHome(request)));
    return context;
}

std::string SignInService::startBrowserSession(Transaction& transaction, SignIn& signIn, const SignInRequest& request,
                                               std::string_view handle, std::chrono::seconds idle)
{
    BrowserSession made;
    made.id = makeUlid(signIn.createdAt);
    made.userId = signIn.userId;
    made.amr = signIn.amr;
    made.acr = signIn.acr;
    made.authTime = made.createdAt = signIn.createdAt;
    made.idleExpiresAt = std::min(signIn.createdAt + idle, signIn.expiresAt);
    made.expiresAt = signIn.expiresAt;
    if (request.provider)
    {
        made.providerId = request.provider->providerId;
        made.providerSubject = request.provider->subject;
        made.providerSid = request.provider->sid;
    }
    const auto known = browser_sessions::find(transaction, handle, signIn.createdAt);
    // Continues the browser session if the same user signs in again, so that a sign-out ends everything from it. Sessions by a provider are
    // separate, because the provider may end them.
    const bool goesOn = known && known->active(signIn.createdAt) && known->userId == made.userId && !known->providerId && !made.providerId;
    if (auto next = goesOn ? browser_sessions::renew(transaction, known->id, made, handle) : std::nullopt)
    {
        signIn.browserSessionId = known->id;
        return *std::move(next);
    }
    if (known) browser_sessions::forgetHandle(transaction, handle);
    signIn.browserSessionId = made.id;
    return browser_sessions::insert(transaction, std::move(made));
}

void SignInService::requireSame(Transaction& transaction, const User& user)
{
    Changes::waitFor(transaction, user.id);
    const auto current = users::find(transaction, user.id.text());
    if (!current || !current->maySignIn() || current->status != user.status || current->passwordHash != user.passwordHash ||
        current->passwordExpiredFor != user.passwordExpiredFor)
        throw Problem::unauthorized("invalid_credentials", "The authentication failed.");
}

SignedIn SignInService::start(const User& user, const SignInRequest& request)
{
    const auto catalog = _core.catalog.snapshot();
    SignedIn result;
    auto& signIn = result.signIn;
    User shown = user;
    if (!request.impersonator && shown.locale.empty() && !request.languages.empty())
        shown.locale = _core.templates.localeFor(request.languages);
    _core.database.transact(
        [&](Transaction& transaction)
        {
            requireSame(transaction, user);
            if (!users::reactivate(transaction, user, request.client, _core.clock.now()))
                throw Problem::unauthorized("invalid_credentials", "The authentication failed.");
            const auto context = chooseContext(transaction, user, request);
            const auto organization = requireContext(transaction, *catalog, user, context, request.serviceId, proofOf(request),
                                                     request.client.address, isHome(request));
            requireRecentUse(transaction, request, organization);
            signIn = describe(user, request, organization);
            if (const auto* browser = std::get_if<StartsBrowser>(&request.lifetime))
                result.browserHandle = startBrowserSession(transaction, signIn, request, browser->handle, _core.settings.refreshIdle);
            sign_ins::insert(transaction, signIn);
            const auto idle = lifeOf(request, organization).idle;
            if (request.refreshable)
                result.refreshHandle =
                    _core.families.start(transaction, signIn, {idle, signIn.expiresAt, request.remember}, request.client.origin);
            if (!request.authTime && !request.impersonator) _devices.note(transaction, user, signIn);
            if (request.together) request.together(transaction, signIn);
            if (request.impersonator) return;
            transaction.execute("UPDATE users SET last_login_at = $2, locale = CASE WHEN locale = '' THEN $3 ELSE locale END WHERE id = $1",
                                user.id, signIn.createdAt, shown.locale);
            AuditLog::ofUser(request.client, user.id, signIn.createdAt, request.serviceId)
                .in(context)
                .record(transaction, "session.created", signIn.id);
        });
    if (request.remember) result.cookieLife = std::chrono::floor<std::chrono::seconds>(signIn.expiresAt - signIn.createdAt);
    shown.status = UserStatus::Active;
    if (!request.impersonator) shown.lastLoginAt = signIn.createdAt;
    result.response = _core.tokens.issue(signIn, std::move(shown));
    return result;
}

} // namespace portico::identity
