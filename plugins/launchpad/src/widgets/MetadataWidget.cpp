#include "widgets/MetadataWidget.h"

#include "portico/Text.h"

#include <boost/json.hpp>

namespace portico::launchpad
{

namespace
{

/// The path of a URL, for a link within the app.
std::string pathOfUrl(std::string_view url)
{
    const auto scheme = url.find("://");
    const auto begin = scheme == std::string_view::npos ? 0 : url.find('/', scheme + 3);
    const auto path = begin == std::string_view::npos ? std::string_view("/") : url.substr(begin);
    return isLocalLink(path) ? std::string(path) : "/";
}

} // namespace

std::string metadataWidget(const WidgetApp& app, const OfferedWidget& offered, const ExpectedWidget& about, Instant now)
{
    namespace json = boost::json;
    json::object place{{"kind", about.context}};
    if (!about.organizationId.empty()) place["organizationId"] = about.organizationId;
    const bool hasIcon = isWebUrl(app.iconUrl) || isLocalLink(app.iconUrl);
    const json::object widget{{"schemaVersion", 1},
                              {"service_id", about.serviceId},
                              {"widgetId", about.widgetId},
                              {"status", "degraded"},
                              {"title", cleanText(app.name, 80)},
                              {"summary", cleanText(offered.title, 160)},
                              {"iconUrl", hasIcon ? json::value(app.iconUrl) : json::value()},
                              {"accent", nullptr},
                              {"generatedAt", toString(now)},
                              {"refreshAfterSeconds", 45},
                              {"expiresAt", nullptr},
                              {"context", std::move(place)},
                              {"metrics", json::array()},
                              {"items", json::array()},
                              {"series", json::array()},
                              {"actions", json::array()},
                              {"counts", {{"attention", 0}, {"unread", 0}}},
                              {"emptyState", nullptr},
                              {"more", {{"label", cleanText(app.name, 200)}, {"href", pathOfUrl(app.launchUrl)}}},
                              {"setup", nullptr}};
    return json::serialize(widget);
}

} // namespace portico::launchpad
