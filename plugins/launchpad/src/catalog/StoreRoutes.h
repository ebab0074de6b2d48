#pragma once

#include "catalog/Registry.h"
#include "plans/PriceList.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace portico::launchpad
{

enum class StoreSort
{
    Name,
    Popular,
    New
};

constexpr auto schemaOf(const StoreSort*)
{
    using enum StoreSort;
    return portico::choices<StoreSort>({{"name", Name}, {"popular", Popular}, {"new", New}});
}

enum class StoreInclude
{
    Total
};

constexpr auto schemaOf(const StoreInclude*) { return portico::choices<StoreInclude>({{"total", StoreInclude::Total}}); }

struct StoreFilter
{
    std::optional<std::string> category;
    std::optional<std::string> collection;
    std::optional<std::string> surfaceGroup;
    std::optional<Pricing> pricing;
    StoreSort sort = StoreSort::Name;
    std::int64_t limit = 50;
    std::optional<std::string> cursor;
    std::optional<StoreInclude> include;
};

constexpr auto schemaOf(const StoreFilter*)
{
    return describe(members<&StoreFilter::category, &StoreFilter::collection>(), field<&StoreFilter::surfaceGroup>("surface_group"),
                    field<&StoreFilter::pricing>(),
                    field<&StoreFilter::sort>().description("name; popular: most launches in 30 days; new: newest first"),
                    field<&StoreFilter::limit>().range(1, 200), field<&StoreFilter::cursor>(), field<&StoreFilter::include>());
}

/// A page of the store.
struct StorePage
{
    std::vector<StoreApp> items;
    std::optional<std::string> nextCursor;
    std::optional<std::int64_t> total;
};

constexpr auto schemaOf(const StorePage*)
{
    return describe(members<&StorePage::items, &StorePage::nextCursor>(), field<&StorePage::total>().omitEmpty());
}

/// Serialized form of a StorePage.
struct StorePageText
{
    std::vector<StoreAppText> items;
    std::optional<std::string> nextCursor;
    std::optional<std::int64_t> total;
};

constexpr auto schemaOf(const StorePageText*)
{
    return describe(members<&StorePageText::items, &StorePageText::nextCursor>(), field<&StorePageText::total>().omitEmpty())
        .documentedAs<StorePage>();
}

struct StoreSearch
{
    std::string q;
    std::optional<std::string> category;
    std::int64_t limit = 20;
};

constexpr auto schemaOf(const StoreSearch*)
{
    return describe(field<&StoreSearch::q>().description("2 to 80 characters"), field<&StoreSearch::category>(),
                    field<&StoreSearch::limit>().range(1, 200));
}

constexpr auto schemaOf(const SearchMatch*) { return describe(members<&SearchMatch::field, &SearchMatch::word>()); }

struct FoundApp : StoreApp
{
    double score = 0;
    std::vector<SearchMatch> highlights;
};

constexpr auto schemaOf(const FoundApp*)
{
    return describe(inherited<StoreApp>(), field<&FoundApp::score>().description("From 0 to 1"),
                    field<&FoundApp::highlights>().description("Matched words in the app's spelling"));
}

/// Serialized form of a FoundApp.
struct FoundAppText : StoreAppText
{
    double score = 0;
    std::vector<SearchMatch> highlights;
};

constexpr auto schemaOf(const FoundAppText*)
{
    return describe(inherited<StoreAppText>(), members<&FoundAppText::score, &FoundAppText::highlights>()).documentedAs<FoundApp>();
}

struct FoundApps
{
    std::vector<FoundAppText> items;
    std::string query;
    std::int64_t tookMs = 0;
    std::optional<std::string> nextCursor;
};

constexpr auto schemaOf(const FoundApps*)
{
    return describe(members<&FoundApps::items, &FoundApps::query, &FoundApps::tookMs, &FoundApps::nextCursor>());
}

/// An app with all that its page in the store shows.
struct StoreAppDetail : StoreApp
{
    std::string longDescription;
    std::vector<AppChange> changelog;
    std::vector<AppScope> permissions;
    std::string privacyUrl;
    std::string supportUrl;
    std::vector<StoreAppText> related;
};

constexpr auto schemaOf(const StoreAppDetail*)
{
    return describe(inherited<StoreApp>(),
                    members<&StoreAppDetail::longDescription, &StoreAppDetail::changelog, &StoreAppDetail::permissions,
                            &StoreAppDetail::privacyUrl, &StoreAppDetail::supportUrl, &StoreAppDetail::related>());
}

struct CommerceFilter
{
    std::optional<std::string> serviceId;
};

constexpr auto schemaOf(const CommerceFilter*) { return describe(field<&CommerceFilter::serviceId>("service_id")); }

/// Prices of an app.
struct CommerceItem : Commerce
{
    std::string serviceId;
};

constexpr auto schemaOf(const CommerceItem*)
{
    return describe(field<&CommerceItem::serviceId>("service_id"),
                    field("pricing", static_cast<Pricing CommerceItem::*>(&CommerceItem::pricing)),
                    field("bundleEligible", static_cast<bool CommerceItem::*>(&CommerceItem::bundleEligible)),
                    field("countsTowardBundle", static_cast<bool CommerceItem::*>(&CommerceItem::countsTowardBundle)),
                    field("bundles", static_cast<std::vector<std::string> CommerceItem::*>(&CommerceItem::bundles)),
                    field("minimumPrice", static_cast<std::optional<Price> CommerceItem::*>(&CommerceItem::minimumPrice)),
                    field("listedPriceIsMinimum", static_cast<bool CommerceItem::*>(&CommerceItem::listedPriceIsMinimum)),
                    field("trialDays", static_cast<std::int64_t CommerceItem::*>(&CommerceItem::trialDays)),
                    field("salesContact", static_cast<bool CommerceItem::*>(&CommerceItem::salesContact)));
}

/// A package of apps with its monthly minimum price.
struct Bundle
{
    Package package = Package::Three;
    std::optional<std::int64_t> appCount;
    std::optional<Price> minimumPrice;
    bool listedPriceIsMinimum = true;
    bool perSeat = true;
    bool countsHumansAndAgents = true;
    bool salesContact = false;
};

constexpr auto schemaOf(const Bundle*)
{
    return describe(field<&Bundle::package>(), field<&Bundle::appCount>().description("null for all apps"),
                    field<&Bundle::minimumPrice>().description("null if there is no monthly price"),
                    members<&Bundle::listedPriceIsMinimum, &Bundle::perSeat, &Bundle::countsHumansAndAgents, &Bundle::salesContact>());
}

/// The public store: apps, categories, collections, search and prices, independent of any organization. Thread-safe.
class StoreRoutes
{
public:
    /// Number of launches in 30 days, by service.
    using Popularity = std::function<std::map<std::string, std::int64_t>()>;

    StoreRoutes(PluginContext& context, const Registry& registry, const PriceList& prices, Popularity popularity);
    void declare(Routes& routes);

    Reply<StorePageText> catalog(const Request& request, const Query<StoreFilter>& filter) const;
    FoundApps search(const Request& request, const Query<StoreSearch>& wanted) const;
    StoreAppDetail detail(const Request& request, const Path<std::string>& slug) const;
    Page<AppGroup> categories(const Request& request, const Paging& paging) const;
    Page<AppGroup> collections(const Request& request, const Paging& paging) const;
    Page<CommerceItem> prices(const Request& request, const Query<CommerceFilter>& filter, const Paging& paging) const;
    Page<Bundle> bundles(const Request& request, const Paging& paging) const;

private:
    std::map<std::string, std::int64_t> popularity() const;

    PluginContext& _context;
    const Registry& _registry;
    const PriceList& _prices;
    const Popularity _popularity;
    const RateLimit _perAddress;
    mutable std::mutex _mutex;
    mutable std::map<std::string, std::int64_t> _launches;
    mutable std::optional<Instant> _countedAt;
};

} // namespace portico::launchpad
