#pragma once

#include "scim/Filter.h"
#include "scim/Patch.h"

#include "portico/Request.h"

#include <boost/json/array.hpp>
#include <cstdint>
#include <optional>

namespace portico::identity::scim
{

/// Who asks, and for which organization: the one that the client belongs to.
struct Call
{
    const Request& request;
    OrganizationId organization;
    /// For all changes of the request.
    mutable PatchBudget budget = {};

    static Call of(const Request& request);
};

/// What a query asks for (RFC 7644, 3.4.2), from the address or from the body of `.search`.
struct ListQuery
{
    std::optional<Filter> filter;
    std::int64_t startIndex = 1;
    std::int64_t count = 100;
    Projection projection;

    static ListQuery of(const Request& request, const ResourceKind& kind);
    static ListQuery of(const boost::json::object& search, const ResourceKind& kind);
};

/// Collects one page of what matches, and counts all of it.
class ListBuilder
{
public:
    ListBuilder(const ListQuery& query, std::int64_t skipped = 0) : _query(query), _total(skipped) {}
    /// Of a resource that may match, in the order of the list.
    void add(const boost::json::object& resource);
    /// What is known to be there beyond what was added.
    void setTotal(std::int64_t total) noexcept { _total = total; }
    std::int64_t total() const noexcept { return _total; }
    boost::json::object response() &&;

private:
    const ListQuery& _query;
    std::int64_t _total;
    boost::json::array _page;
};

} // namespace portico::identity::scim
