#include "sessions/Cookies.h"

#include "catalog/CatalogStore.h"
#include "common/Requests.h"

#include "portico/Problem.h"

#include <algorithm>

namespace portico::identity
{

namespace
{
constexpr std::string_view refreshName = "platform_refresh";
constexpr std::string_view crossOriginRefreshName = "platform_refresh_x";
constexpr std::string_view browserSessionName = "platform_session";
constexpr std::string_view preLoginName = "platform_pre";
constexpr auto preLoginLife = std::chrono::minutes(10);
} // namespace

bool Cookies::isTrusted(std::string_view origin, const Request& request) const
{
    if (origin == request.origin) return true;
    const auto isHosts = [&](const auto& entry) { return entry.second == origin; };
    return std::ranges::any_of(_core.context.host().origins, isHosts) || _core.catalog.snapshot()->isRegisteredOrigin(origin);
}

bool Cookies::wanted(const Request& request) const
{
    if (request.header("X-Platform-Auth") != "1") return false;
    const auto origin = request.header("Origin");
    if (origin.empty()) return false;
    if (!isTrusted(origin, request)) throw Problem::forbidden("csrf_rejected", "This origin is not registered.");
    return true;
}

void Cookies::requireTrusted(const Request& request) const
{
    if (!wanted(request)) throw Problem::forbidden("csrf_rejected", "Cookies count only with X-Platform-Auth: 1 and a registered Origin.");
}

std::string Cookies::name(std::string_view plain) const { return (_core.context.host().plainHttp ? "" : "__Host-") + std::string(plain); }

bool Cookies::isCrossOrigin(const Request& request) const
{
    const auto origin = request.header("Origin");
    // Forms of identity's pages may send `Origin: null`, but not the app header.
    const bool app = request.header("X-Platform-Auth") == "1" && !origin.empty() && origin != request.origin;
    return app && isOwnOrigin(request) && !_core.context.host().plainHttp;
}

std::string_view Cookies::refreshHandle(const Request& request) const
{
    const auto ofApps = request.cookie(name(crossOriginRefreshName));
    if (isCrossOrigin(request)) return ofApps;
    const auto own = request.cookie(name(refreshName));
    // Embedded pages and event streams of an app cannot send its header.
    return own.empty() && request.method == Method::Get && isOwnOrigin(request) ? ofApps : own;
}

std::string_view Cookies::browserSessionHandle(const Request& request) const { return request.cookie(name(browserSessionName)); }

std::string_view Cookies::preLogin(const Request& request) const { return request.cookie(name(preLoginName)); }

SetCookie Cookies::cookie(std::string_view plain, std::string_view value, SameSite sameSite, std::optional<std::chrono::seconds> life) const
{
    return SetCookie(name(plain), value, {.maxAge = life, .sameSite = sameSite, .secure = !_core.context.host().plainHttp});
}

SetCookie Cookies::setRefresh(const Request& request, std::string_view handle, std::optional<std::chrono::seconds> life) const
{
    return isCrossOrigin(request) ? setCrossOriginRefresh(handle, life) : cookie(refreshName, handle, SameSite::Strict, life);
}

SetCookie Cookies::setCrossOriginRefresh(std::string_view handle, std::optional<std::chrono::seconds> life) const
{
    return SetCookie(name(crossOriginRefreshName), handle,
                     {.maxAge = life, .sameSite = SameSite::None, .secure = true, .partitioned = true});
}

std::vector<SetCookie> Cookies::clearSent(const Request& request) const
{
    constexpr auto now = std::chrono::seconds(0);
    const auto came = [&](std::string_view plain) { return !request.cookie(name(plain)).empty(); };
    std::vector<SetCookie> cleared;
    if (came(refreshName)) cleared.push_back(cookie(refreshName, "", SameSite::Strict, now));
    if (came(browserSessionName)) cleared.push_back(setBrowserSession("", now));
    if (came(crossOriginRefreshName) && !_core.context.host().plainHttp) cleared.push_back(setCrossOriginRefresh("", now));
    return cleared;
}

SetCookie Cookies::setBrowserSession(std::string_view handle, std::optional<std::chrono::seconds> life) const
{
    return cookie(browserSessionName, handle, SameSite::Lax, life);
}

SetCookie Cookies::setPreLogin(std::string_view value) const { return cookie(preLoginName, value, SameSite::Lax, preLoginLife); }

} // namespace portico::identity
