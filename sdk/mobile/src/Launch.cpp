#include "Client.h"
#include "Text.h"

namespace portico::mobile
{

namespace
{

bool isSafeUrl(const std::string& text)
{
    const auto url = Url::parse(text);
    return url && url->isSafe();
}

} // namespace

/// Bundle or package of an app, from the cached catalog; empty if it is not known there.
std::string Client::nativeId(const std::string& serviceId, pm_platform platform)
{
    const auto known = cachedDocument("catalog");
    const auto catalog = known ? readObject(known->json) : std::nullopt;
    const auto* items = catalog ? catalog->if_contains("items") : nullptr;
    if (!items || !items->is_array()) return {};
    for (const auto& item : items->get_array())
    {
        const auto* entry = item.if_object();
        if (!entry || textOf(*entry, "service_id") != serviceId) continue;
        const auto* launch = objectOf(*entry, "launch");
        const auto* system = launch ? objectOf(*launch, platform == PM_IOS ? "ios" : "android") : nullptr;
        return system ? textOf(*system, platform == PM_IOS ? "bundleId" : "packageName") : std::string();
    }
    return {};
}

LaunchChoice Client::launch(const std::string& serviceId, pm_platform platform, const std::string& returnTo)
{
    if (!isServiceId(serviceId) || (!returnTo.empty() && !isPath(returnTo)) || (platform != PM_IOS && platform != PM_ANDROID))
        throw Failure{PM_INVALID_ARGUMENT};
    const bool installed = _shell.isInstalled(serviceId, nativeId(serviceId, platform));
    json::object input{{"service_id", serviceId},
                       {"target", "mobile"},
                       {"device", {{"platform", platform == PM_IOS ? "ios" : "android"}, {"installed", installed}}}};
    if (!returnTo.empty()) input["returnTo"] = returnTo;
    HttpCall call{"POST", _settings.launchpadUrl + "/api/launch", {{"Accept", "application/json"}, {"Content-Type", "application/json"}}};
    call.body = json::serialize(input);
    const auto answer = ask(std::move(call));
    if (!answer) throw Failure{PM_OFFLINE};
    if (answer->status != 201) refuse(*answer);
    const auto made = readObject(answer->body);
    if (!made) throw Failure{PM_BAD_ANSWER};
    const auto url = textOf(*made, "url");
    const auto link = textOf(*made, "universalLink");
    const auto* fallback = objectOf(*made, "fallback");
    const auto store = fallback ? textOf(*fallback, "appStoreUrl") : std::string();
    const auto web = fallback ? textOf(*fallback, "webUrl") : std::string();
    LaunchChoice choice{PM_LAUNCH_WEB, url};
    // The server names the link or the store only if the app has a build for this system.
    if (!link.empty() && url == link)
        choice = installed       ? LaunchChoice{PM_LAUNCH_LINK, link}
                 : store.empty() ? LaunchChoice{PM_LAUNCH_WEB, web}
                                 : LaunchChoice{PM_LAUNCH_STORE, store};
    else if (!store.empty() && url == store)
        choice.kind = PM_LAUNCH_STORE;
    if (choice.kind == PM_LAUNCH_LINK && Url::parse(link) && Url::parse(link)->origin != _settings.launchpadUrl)
        throw Failure{PM_BAD_ANSWER};
    if (!isSafeUrl(choice.url)) throw Failure{PM_BAD_ANSWER};
    return choice;
}

} // namespace portico::mobile
