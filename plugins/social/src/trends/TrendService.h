#pragma once

#include "audit/AuditTrail.h"
#include "trends/TrendFetch.h"

#include "portico/Arguments.h"
#include "portico/Jobs.h"
#include "portico/Plugin.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Sources of a brand, at most.
inline constexpr std::int64_t maxTrendSources = 50;

/// The job that reads one source.
struct FetchTrends
{
    BrandId brandId;
    TrendSourceId trendSourceId;
};
constexpr auto schemaOf(const FetchTrends*) { return describe(members<&FetchTrends::brandId, &FetchTrends::trendSourceId>()); }

/// Keeps the trend sources of brands and reads them every 15 minutes, with jitter and back-off. Items are kept for 30 days, 5,000 a brand.
/// Thread-safe.
class TrendService
{
public:
    static constexpr std::string_view sweepJob = "trends-sweep";
    static constexpr std::string_view fetchJob = "trends-fetch";
    static constexpr std::chrono::minutes interval{15};

    TrendService(PluginContext& context, TrendReader reader) : _context(context), _reader(std::move(reader)) {}

    void start();
    /// @throws Problem 400 `address_not_allowed`, 404; 409 `conflict` for the 51st source
    TrendSource add(Tenant tenant, const BrandId& brand, TrendSource source) const;
    /// @throws Problem 400, 404, 412
    TrendSource change(Tenant tenant, const BrandId& brand, const TrendSourceId& id, const IfMatch& ifMatch,
                       const Patch<TrendSource>& patch) const;
    /// Deletes a source with its items. @throws Problem 404, 412
    void remove(Tenant tenant, const BrandId& brand, const TrendSourceId& id, const IfMatch& ifMatch) const;
    /// Reads a source soon, also before its time. @throws Problem 404
    TrendSource refresh(Tenant tenant, const BrandId& brand, const TrendSourceId& id) const;

    /// Enqueues a fetch of each due source.
    void sweep() const;
    /// Reads a source now and stores its items.
    void fetch(Tenant tenant, const BrandId& brand, const TrendSourceId& id) const;

private:
    void requireAddress(const TrendSource& source) const;
    void store(Transaction& transaction, Tenant tenant, const TrendSource& source, std::vector<SourceItem> items, Instant now) const;
    void prune(Transaction& transaction, Tenant tenant, const BrandId& brand, Instant now) const;

    PluginContext& _context;
    const TrendReader _reader;
};

/// Items that a source has now.
std::int64_t itemsOf(Session& session, Tenant tenant, const TrendSource& source);

} // namespace portico::social
