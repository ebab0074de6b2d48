#include "marketing/CheckoutCookie.h"

#include <chrono>

namespace portico::launchpad
{

namespace
{
constexpr std::size_t maxCheckouts = 4;
constexpr auto cookieLife = std::chrono::days(30);
constexpr char betweenParts = '.', betweenCheckouts = '~';
} // namespace

CheckoutCookie::CheckoutCookie(const HostInfo& host, const Request& request)
    : _name(host.plainHttp ? "checkouts" : "__Host-checkouts"), _secure(!host.plainHttp)
{
    auto text = request.cookie(_name);
    while (!text.empty() && _all.size() < maxCheckouts)
    {
        const auto end = text.find(betweenCheckouts);
        const auto one = text.substr(0, end);
        if (const auto point = one.find(betweenParts); point != std::string_view::npos)
            _all.push_back({std::string(one.substr(0, point)), std::string(one.substr(point + 1))});
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
}

SetCookie CheckoutCookie::add(OwnCheckout checkout)
{
    std::erase_if(_all, [&](const OwnCheckout& each) { return each.id == checkout.id; });
    _all.insert(_all.begin(), std::move(checkout));
    if (_all.size() > maxCheckouts) _all.resize(maxCheckouts);
    return made();
}

SetCookie CheckoutCookie::remove(std::string_view id)
{
    std::erase_if(_all, [&](const OwnCheckout& each) { return each.id == id; });
    return made();
}

SetCookie CheckoutCookie::made() const
{
    std::string text;
    for (const auto& each : _all)
    {
        if (!text.empty()) text += betweenCheckouts;
        text += each.id + betweenParts + each.claimToken;
    }
    const std::chrono::seconds life = text.empty() ? std::chrono::seconds(0) : std::chrono::seconds(cookieLife);
    return {_name, text, {.maxAge = life, .sameSite = SameSite::Lax, .secure = _secure}};
}

} // namespace portico::launchpad
