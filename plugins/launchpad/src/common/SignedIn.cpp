#include "common/SignedIn.h"

#include "common/Ids.h"

#include "portico/interfaces/SignIns.h"

namespace portico::launchpad
{

std::shared_ptr<const Caller> behindCookie(PluginContext& context, const Request& request)
{
    const auto handle = request.cookie(context.host().plainHttp ? "platform_refresh" : "__Host-platform_refresh");
    if (handle.empty()) throw Problem::unauthorized("authentication_required", "Send an access token, or the cookie of the sign-in.");
    std::shared_ptr<const Caller> person;
    if (const auto signIns = context.services().find<interfaces::SignIns>())
        person = signIns->behindRefreshCookie(handle, ownServiceId, request.clientAddress);
    if (!person) throw Problem::unauthorized("session_ended", "Sign in again.");
    return person;
}

std::shared_ptr<const Caller> personBehind(PluginContext& context, const Request& request)
{
    try
    {
        auto person = behindCookie(context, request);
        return person->impersonatorId.empty() ? person : nullptr;
    }
    catch (const Problem&)
    {
        return nullptr;
    }
}

} // namespace portico::launchpad
