#include "signin/SignInDesk.h"

#include "sessions/Cookies.h"
#include "signin/NativeApp.h"

namespace portico::identity
{

namespace
{

/// The client that the pages of a service are.
std::string pagesOf(std::string_view serviceId) { return std::string(serviceId) + "-web"; }

/// Programs that send the header send a star.
std::string languagesOf(const Request& request)
{
    const auto languages = request.header("Accept-Language");
    return languages == "*" ? std::string() : std::string(languages);
}

} // namespace

SignInRequest SignInDesk::begin(const Request& request, std::string_view serviceId, std::string_view clientId) const
{
    if (requestedService(request) != serviceId && !isOwnOrigin(request))
        throw Problem::badRequest("service_mismatch", "This origin signs in to its own service only.");
    SignInRequest wish;
    wish.serviceId = serviceId;
    wish.clientId = pagesOf(serviceId);
    wish.client = Client::of(request);
    wish.languages = languagesOf(request);
    if (!clientId.empty() && clientId != wish.clientId)
    {
        const auto app = NativeApp::find(_core, request, clientId, serviceId);
        if (!app) throw Problem::invalid("client_id", "unknown_client", "There is no such client.");
        app->claim(wish);
        return wish;
    }
    wish.refreshable = _core.cookies.wanted(request);
    // A page of an app that calls us from its own origin signs in that app alone.
    wish.browserSession = wish.refreshable && isOwnOrigin(request) && !_core.cookies.isCrossOrigin(request);
    return wish;
}

SignInRequest SignInDesk::beginOnPage(const Request& request)
{
    SignInRequest wish;
    wish.refreshable = wish.browserSession = true;
    wish.serviceId = identityServiceId;
    wish.clientId = pagesOf(identityServiceId);
    wish.client = Client::of(request);
    wish.languages = languagesOf(request);
    return wish;
}

Reply<TokenResponse> SignInDesk::complete(const Request& request, const User& user, const SignInRequest& wish)
{
    auto wanted = wish;
    if (wanted.browserSession) wanted.browserHandle = _core.cookies.browserSessionHandle(request);
    auto result = _signIns.start(user, wanted);
    Reply<TokenResponse> reply{std::move(result.response)};
    if (wish.native && wish.refreshable)
        reply.record.refreshToken = std::move(result.refreshHandle);
    else if (!result.refreshHandle.empty())
        reply.cookies.push_back(_core.cookies.setRefresh(request, result.refreshHandle, result.cookieLife));
    if (!result.browserHandle.empty()) reply.cookies.push_back(_core.cookies.setBrowserSession(result.browserHandle, result.cookieLife));
    return reply;
}

void SignInDesk::requireActive(const User& user, std::string_view refusal)
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

} // namespace portico::identity
