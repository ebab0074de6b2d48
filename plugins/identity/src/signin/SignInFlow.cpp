#include "signin/SignInFlow.h"

#include "sessions/Cookies.h"
#include "sessions/SessionEvents.h"
#include "signin/NativeApp.h"

namespace portico::identity
{

namespace
{

/// Programs that send the header send a star.
std::string languagesOf(const Request& request)
{
    const auto languages = request.header("Accept-Language");
    return languages == "*" ? std::string() : std::string(languages);
}

SignInRequest byPagesOf(std::string_view serviceId, const Request& request)
{
    SignInRequest wanted;
    wanted.serviceId = serviceId;
    wanted.clientId = pagesOf(serviceId);
    wanted.client = Client::of(request);
    wanted.languages = languagesOf(request);
    return wanted;
}

} // namespace

SignInRequest SignInFlow::atService(const Request& request, std::string_view serviceId, std::string_view clientId) const
{
    if (requestedService(request) != serviceId && !isOwnOrigin(request))
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    auto wanted = byPagesOf(serviceId, request);
    if (!clientId.empty() && clientId != wanted.clientId)
    {
        const auto app = NativeApp::find(_core, request, clientId, serviceId);
        if (!app) throw Problem::invalid("client_id", "unknown_client", "There is no such client.");
        app->claim(wanted);
        return wanted;
    }
    wanted.refreshable = _core.cookies.wanted(request);
    // A page of an app that calls identity from the app's own origin signs in to that app only.
    if (wanted.refreshable && isOwnOrigin(request) && !_core.cookies.isCrossOrigin(request))
        wanted.lifetime = StartsBrowser{std::string(_core.cookies.browserSessionHandle(request))};
    return wanted;
}

SignInRequest SignInFlow::onPage(const Request& request) const
{
    auto wanted = byPagesOf(identityServiceId, request);
    wanted.refreshable = true;
    wanted.lifetime = StartsBrowser{std::string(_core.cookies.browserSessionHandle(request))};
    return wanted;
}

Reply<TokenResponse> SignInFlow::complete(const Request& request, const User& user, const SignInRequest& wanted)
{
    return answer(request, _service.start(user, wanted));
}

Reply<TokenResponse> SignInFlow::answer(const Request& request, SignedIn signedIn) const
{
    Reply<TokenResponse> reply{std::move(signedIn.response)};
    if (!signedIn.refreshHandle.empty() && signedIn.signIn.dpopBound)
        reply.record.refreshToken = std::move(signedIn.refreshHandle);
    else if (!signedIn.refreshHandle.empty())
        reply.cookies.push_back(_core.cookies.setRefresh(request, signedIn.refreshHandle, signedIn.cookieLife));
    if (!signedIn.browserHandle.empty())
        reply.cookies.push_back(_core.cookies.setBrowserSession(signedIn.browserHandle, signedIn.cookieLife));
    return reply;
}

void SignInFlow::requireActive(const User& user, std::string_view refusal)
{
    if (user.maySignIn()) return;
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
    throw Problem::unauthorized(refusal, "The authentication failed.");
}

void SignInFlow::endReused(std::string_view sessionId, EventName event, const Client& client, const InTransaction& together,
                           std::string_view serviceId)
{
    const auto known = _core.read([&](Session& session) { return sign_ins::find(session, sessionId); });
    if (!known) return;
    const auto work = [&](Transaction& transaction)
    {
        const auto now = _core.clock.now();
        const auto signIn = sign_ins::find(transaction, sessionId);
        auto ended = signIn ? sign_ins::end(transaction, {*signIn}, end_reason::reuse, now) : std::vector<std::string>();
        if (ended.empty()) return ended;
        AuditLog::anonymous(client, now, serviceId.empty() ? std::string_view(signIn->serviceId) : serviceId)
            .refused(transaction, event, sessionId);
        if (together) together(transaction, *signIn);
        return ended;
    };
    _core.sessionEvents.ended(_core.changes.run({known->userId}, work));
}

void SignInFlow::endReusedHandle(std::string_view sessionId, const Client& client)
{
    // Notifies once, however often the old handle is reused.
    const auto notify = [&](Transaction& transaction, const SignIn& signIn)
    {
        if (const auto user = users::find(transaction, signIn.userId.text()))
            _signedOut.send(transaction, mailRecipient(*user), {signIn.userAgent});
    };
    endReused(sessionId, "session.refresh_reuse_detected", client, notify);
}

} // namespace portico::identity
