#include "signin/ReturnTarget.h"

#include "catalog/CatalogStore.h"

#include "portico/Form.h"
#include "portico/Text.h"

#include <algorithm>

namespace portico::identity
{

std::optional<ProblemText> returnFault(const Core& core, const Catalog& catalog, std::string_view serviceId, std::string_view returnTo)
{
    const auto* service = catalog.find(serviceId);
    if (!service || !service->active()) return ProblemText{.unknownService = true};
    if (returnTo.empty() || isLocalPath(returnTo)) return std::nullopt;
    const auto origin = originOf(returnTo);
    // Nothing that a browser reads otherwise, or that is no part of a header.
    const bool plain = std::ranges::all_of(returnTo, [](char c) { return c > 0x20 && c < 0x7f && c != '\\'; });
    const bool known = plain && origin.find("//") != std::string::npos && (origin == core.origin || catalog.isRegisteredOrigin(origin));
    return known ? std::nullopt : std::optional(ProblemText{.wrongReturn = true});
}

UrlParameters returnParameters(std::string_view serviceId, std::string_view returnTo)
{
    UrlParameters query;
    if (!serviceId.empty()) query.emplace_back("service_id", serviceId);
    if (!returnTo.empty()) query.emplace_back("return_to", returnTo);
    return query;
}

std::vector<std::string> returnTargets(Core& core, std::string_view returnTo)
{
    if (!isLocalPath(returnTo)) return {originOf(returnTo)};
    std::vector<std::string> found;
    const auto add = [&](std::string_view url)
    {
        auto origin = originOf(url);
        if (std::ranges::find(found, origin) == found.end()) found.push_back(std::move(origin));
    };
    const auto question = returnTo.find('?');
    if (question == std::string_view::npos) return found;
    const auto catalog = core.catalog.snapshot();
    for (const auto& [name, value] : parseForm(returnTo.substr(question + 1)))
    {
        if (name == "redirect_uri") add(value);
        const auto* service = name == "service_id" ? catalog->find(value) : nullptr;
        if (service)
            for (const auto& url : service->callbackUrls) add(url);
    }
    return found;
}

} // namespace portico::identity
