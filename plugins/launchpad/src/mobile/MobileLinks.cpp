#include "mobile/MobileLinks.h"

namespace portico::launchpad
{

namespace
{
Response associationFile(std::string text)
{
    Response response;
    response.contentType = "application/json";
    response.body = std::move(text);
    return response;
}
} // namespace

void MobileLinks::declare(Routes& routes)
{
    const auto file = [](std::string_view summary) -> RouteOptions
    {
        return {.summary = summary,
                .crossOrigin = CrossOrigin::anyone(),
                .cacheControl = "public, max-age=300",
                .produces = {"application/json"},
                .statuses = {200},
                .anyQuery = true};
    };
    routes
        .get("/.well-known/apple-app-site-association", access::open(), &MobileLinks::apple, this,
             file("Read which iOS apps open links of this origin"))
        .get("/.well-known/assetlinks.json", access::open(), &MobileLinks::android, this,
             file("Read which Android apps open links of this origin"));
}

Response MobileLinks::apple() const { return associationFile(appleAssociation(*_registry.apps(), _shell)); }

Response MobileLinks::android() const { return associationFile(assetLinks(*_registry.apps(), _shell)); }

} // namespace portico::launchpad
