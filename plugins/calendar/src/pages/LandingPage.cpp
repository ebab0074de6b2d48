#include "pages/LandingPage.h"

#include "portico/Json.h"
#include "portico/interfaces/ServiceCatalog.h"

#include <chrono>

namespace portico::calendar
{

namespace
{
constexpr std::chrono::seconds freshFor{60};

struct ManifestPart
{
    Landing landing;
};

constexpr auto schemaOf(const ManifestPart*) { return describe(field<&ManifestPart::landing>()); }

/// Returns an empty value without a registry. The template then shows its default text.
Landing registered(const BookingTools& tools)
{
    const auto catalog = tools.context.services().find<interfaces::ServiceCatalog>();
    if (!catalog) return {};
    const auto entry = catalog->service(tools.context.host().serviceId);
    return entry ? fromStoredJson<ManifestPart>(entry->manifest).landing : Landing();
}
} // namespace

void LandingPage::declare(Routes& routes)
{
    routes.get("/", access::open(), &LandingPage::show, this, {.summary = "Landing page", .undocumented = true});
}

Landing LandingPage::current() const
{
    const auto now = _tools.now();
    {
        const std::lock_guard lock(_mutex);
        if (_known && now - _knownSince < freshFor) return *_known;
    }
    auto found = registered(_tools);
    const std::lock_guard lock(_mutex);
    _knownSince = now;
    return _known.emplace(std::move(found));
}

Response LandingPage::show(const Request& request, const RawQuery&) const
{
    const auto landing = current();
    PublicPageOptions options;
    options.description = landing.sub;
    options.canonical = _tools.context.host().origin + "/";
    options.indexable = true;
    return _page.render(request, landing, options);
}

} // namespace portico::calendar
