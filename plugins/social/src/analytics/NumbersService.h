#pragma once

#include "analytics/NumbersRow.h"
#include "content/PostCheck.h"

#include "portico/Jobs.h"

#include <vector>

namespace portico::social
{

/// The job that fetches the numbers of one item.
struct FetchNumbers
{
    BrandId brandId;
    ContentId contentId;
};
constexpr auto schemaOf(const FetchNumbers*) { return describe(members<&FetchNumbers::brandId, &FetchNumbers::contentId>()); }

/// Fetches the numbers of published items from their networks, at fixed times after the publication and on request. Thread-safe.
class NumbersService
{
public:
    static constexpr std::string_view sweepJob = "numbers-sweep";
    static constexpr std::string_view fetchJob = "numbers-fetch";
    /// Numbers that are younger are not fetched again on request.
    static constexpr std::chrono::minutes freshness{15};

    explicit NumbersService(const ContentTools& tools) : _tools(tools) {}

    void start();
    /// Notes items that were published since the last sweep, and enqueues what is due.
    void sweep() const;
    /// Fetches the numbers of an item now. A network that does not answer leaves the last ones.
    void fetch(Tenant tenant, const BrandId& brand, const ContentId& id) const;
    /// Fetches those of a post that are older than `freshness`. @return all of the post
    std::vector<NumbersRow> ofPost(Tenant tenant, const BrandId& brand, const PostId& post) const;

private:
    void note(Transaction& transaction) const;

    const ContentTools _tools;
};

} // namespace portico::social
