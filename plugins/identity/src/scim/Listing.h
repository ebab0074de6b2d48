#pragma once

#include "scim/Filter.h"
#include "scim/Patch.h"

#include "portico/Request.h"

#include <boost/json/array.hpp>
#include <cstdint>
#include <optional>

namespace portico::identity::scim
{

/// A request and its organization, which is that of the client.
struct Call
{
    const Request& request;
    OrganizationId organization;
    /// Shared by all changes of the request.
    mutable PatchBudget budget = {};

    static Call of(const Request& request);
};

/// Query of a list (RFC 7644, 3.4.2), from the address or from the body of `.search`.
struct ListQuery
{
    std::optional<Filter> filter;
    std::int64_t startIndex = 1;
    std::int64_t count = 100;
    Projection projection;

    static ListQuery of(const Request& request, const ResourceKind& kind);
    static ListQuery of(const boost::json::object& search, const ResourceKind& kind);
};

/// Collects one page of the matches, and counts all of them.
class ListBuilder
{
public:
    ListBuilder(const ListQuery& query, std::int64_t skipped = 0) : _query(query), _total(skipped) {}
    /// Adds a resource that may match, in the order of the list.
    void add(const boost::json::object& resource);
    /// Sets the total number, if more resources exist than were added.
    void setTotal(std::int64_t total) noexcept { _total = total; }
    std::int64_t total() const noexcept { return _total; }
    boost::json::object response() &&;

private:
    const ListQuery& _query;
    std::int64_t _total;
    boost::json::array _page;
};

} // namespace portico::identity::scim
