#include "services/AppSwitcherRoutes.h"

#include "catalog/CatalogStore.h"
#include "common/Requests.h"
#include "sessions/BrowserSession.h"
#include "sessions/Cookies.h"
#include "sessions/RefreshFamilies.h"
#include "sessions/SignIn.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

[[noreturn]] void refuseCookie(bool sent)
{
    if (sent) throw Problem::unauthorized("session_ended", "Sign in again.");
    throw Problem::unauthorized("authentication_required", "Send an access token, or the cookie of the sign-in.");
}

} // namespace

void AppSwitcherRoutes::declare(Routes& routes)
{
    routes.get("/api/services/app-switcher", access::bearerOrCookie(), &AppSwitcherRoutes::show, this,
               {.summary = "List the apps of the app switcher", .onEveryOrigin = true, .problems = {"401 session_ended"}});
}

AppSwitcherRoutes::Place AppSwitcherRoutes::placeOf(const Caller& caller, const Request& request)
{
    if (caller.anonymous()) return placeOfCookie(request);
    const auto signIn = _core.read([&](Session& session) { return sign_ins::find(session, caller.sessionId); });
    return {caller.principalId, OrganizationId::parse(caller.organizationId),
            signIn ? std::optional(SignInProof::of(*signIn, _core.clock.now())) : std::nullopt};
}

AppSwitcherRoutes::Place AppSwitcherRoutes::placeOfCookie(const Request& request)
{
    const auto now = _core.clock.now();
    const auto handle = _core.cookies.refreshHandle(request);
    const auto family = handle.empty() ? std::nullopt : _core.families.live(handle);
    auto session = _core.database.session();
    if (family)
    {
        const auto signIn = sign_ins::find(session, family->sessionId);
        if (signIn && signIn->active(now)) return {signIn->userId.text(), signIn->organizationId, SignInProof::of(*signIn, now)};
    }
    const auto browserHandle = isOwnOrigin(request) ? _core.cookies.browserSessionHandle(request) : std::string_view();
    const auto browser = browserHandle.empty() ? std::nullopt : browser_sessions::find(session, browserHandle, now);
    if (!browser || !browser->active(now)) refuseCookie(!handle.empty() || !browserHandle.empty());
    const SignInProof proof{browser->amr, browser->acr, browser->authTime, now};
    // A browser session has no context. Uses the last context at identity, else the first organization.
    if (const auto last = sign_ins::lastContext(session, browser->userId.text(), identityServiceId))
        return {browser->userId.text(), *last, proof};
    const auto mine = organizations::ofUser(session, browser->userId);
    return {browser->userId.text(), mine.empty() ? std::nullopt : std::optional(mine.front().id), proof};
}

Reply<AppSwitcher> AppSwitcherRoutes::show(const Caller& caller, const Request& request, const Query<SwitcherQuery>& query)
{
    const auto catalog = _core.catalog.snapshot();
    auto place = placeOf(caller, request);
    // Personal context has no organization, and the organization always comes from the current context.
    if (query->context == ContextKind::Personal) place.organizationId.reset();
    auto session = _core.database.snapshot();
    auto user = users::find(session, place.userId);
    if (!user || user->status != UserStatus::Active) refuseCookie(true);
    const PersonAccess person(session, *std::move(user), place.organizationId, place.proof);
    AppSwitcher answer;
    answer.activeContext = ActiveContext::of(person.standing());
    const bool nowhere = query->context == ContextKind::Organization && !place.organizationId;
    if (!nowhere) answer.items = switcherItems(*catalog, person);
    auto etag = '"' + sha256(toJson(answer)).hex().substr(0, 32) + '"';
    return {.record = std::move(answer), .etag = std::move(etag)};
}

} // namespace portico::identity
