#include "billing/Selection.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <set>

namespace portico::launchpad::selection
{

namespace
{
struct SizeDetails
{
    std::int64_t expected = 0;
    std::int64_t got = 0;
};

constexpr auto schemaOf(const SizeDetails*) { return describe(members<&SizeDetails::expected, &SizeDetails::got>()); }

struct MinimumDetails
{
    std::int64_t minimum = 0;
};

constexpr auto schemaOf(const MinimumDetails*) { return describe(members<&MinimumDetails::minimum>()); }

bool isEligible(const App& app) { return app.listed && app.shown.commerce.bundleEligible && app.shown.commerce.countsTowardBundle; }
} // namespace

std::vector<const App*> choices(const AppCatalog& apps)
{
    std::vector<const App*> found;
    for (const auto& app : apps.all())
        if (isEligible(app)) found.push_back(&app);
    std::ranges::sort(found, {}, &App::sortName);
    return found;
}

std::vector<std::string> requireApps(const AppCatalog& apps, Package package, const std::vector<std::string>& selected)
{
    if (package == Package::Enterprise)
        throw Problem::badRequest("enterprise_requires_contact", "Contact sales, or book a demo, for the enterprise package.");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < selected.size(); ++i)
    {
        const auto place = "selectedServiceIds[" + std::to_string(i) + ']';
        const auto* app = apps.find(selected[i]);
        if (!app || !isEligible(*app))
            throw Problem::badRequest("not_bundle_eligible", "Packages contain only apps of the platform.")
                .with({place, "not_bundle_eligible", "Choose an app of the platform that packages contain"});
        if (!seen.insert(selected[i]).second) throw Problem::invalid(place, "duplicate", "Choose each app once");
    }
    const auto expected = appCountOf(package);
    if (!expected) return {};
    const auto got = static_cast<std::int64_t>(selected.size());
    if (got != *expected)
        throw Problem::badRequest("bundle_size_mismatch", "Choose exactly as many apps as the package includes.")
            .withDetails(SizeDetails{*expected, got});
    return selected;
}

std::int64_t requireAmount(const PriceList& prices, Package package, BillingInterval interval, std::string_view currency,
                           std::optional<std::int64_t> wanted)
{
    const auto minimum = prices.minimum(package, interval, currency);
    if (!minimum) throw Problem::invalid("currency", "not_sold", "The package is not sold in this currency at this interval");
    if (wanted && *wanted < *minimum)
        throw Problem::badRequest("amount_below_minimum", "The listed price is the minimum for one seat.")
            .withDetails(MinimumDetails{*minimum});
    return wanted.value_or(*minimum);
}

} // namespace portico::launchpad::selection
