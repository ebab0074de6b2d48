#include "Client.h"
#include "Text.h"

#include <algorithm>

namespace portico::mobile
{

namespace
{

std::string required(const char* text)
{
    if (!text || !*text || std::string_view(text).size() > 2000) throw Failure{PM_INVALID_ARGUMENT};
    return text;
}

void require(bool holds)
{
    if (!holds) throw Failure{PM_INVALID_ARGUMENT};
}

bool isAppName(std::string_view text)
{
    return text.size() <= 100 &&
           std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-'; });
}

} // namespace

Settings::Settings(const pm_config& config)
    : issuer(required(config.issuer)),
      launchpadUrl(required(config.launchpad_url)),
      serviceId(required(config.service_id)),
      serviceUrl(required(config.service_url)),
      clientId(required(config.client_id)),
      redirectUri(required(config.redirect_uri)),
      callbackUrl(config.callback_url ? required(config.callback_url) : serviceUrl + "/auth/callback"),
      appName(required(config.app_name))
{
    require(isOrigin(issuer) && isOrigin(launchpadUrl) && isOrigin(serviceUrl));
    require(isServiceId(serviceId) && isToken(clientId, 100) && isAppName(appName));
    const auto redirect = Url::parse(redirectUri);
    const auto callback = Url::parse(callbackUrl);
    // A scheme of the app's own has no host; http is for this machine only.
    require(redirect && redirect->query.empty() && (redirect->isSafe() || (redirect->scheme != "http" && redirect->scheme != "https")));
    require(callback && callback->isSafe());
}

} // namespace portico::mobile
