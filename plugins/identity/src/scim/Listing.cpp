#include "scim/Listing.h"

#include "portico/Problem.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace portico::identity::scim
{

namespace
{

std::int64_t numberOf(std::string_view name, std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size())
        throw Problem::badRequest("invalidValue", std::string(name) + " should be an integer.");
    return number;
}

std::string joined(const boost::json::value* names)
{
    std::string all;
    if (names != nullptr && names->is_array())
        for (const auto& name : names->get_array())
            if (name.is_string()) all += (all.empty() ? "" : ",") + std::string(viewOf(name.get_string()));
    return all;
}

/// Sets the number to the member, if there is one.
void setNumber(std::int64_t& number, const boost::json::object& search, std::string_view name)
{
    const auto* const value = findMember(search, name);
    if (value == nullptr || value->is_null()) return;
    if (!value->is_int64()) throw Problem::badRequest("invalidValue", std::string(name) + " should be an integer.");
    number = value->get_int64();
}

/// Numbers that make no sense are read as the nearest that do (RFC 7644, table 6).
ListQuery bounded(ListQuery query)
{
    query.startIndex = std::max<std::int64_t>(query.startIndex, 1);
    query.count = std::clamp<std::int64_t>(query.count, 0, maxResults);
    return query;
}

} // namespace

Call Call::of(const Request& request)
{
    const auto organization = OrganizationId::parse(request.caller->organizationId);
    if (!organization) throw Problem::forbidden("service_access_denied", "SCIM is for organizations: use one of their clients.");
    return {request, *organization};
}

ListQuery ListQuery::of(const Request& request, const ResourceKind& kind)
{
    ListQuery query;
    if (const auto text = request.queryParameter("filter")) query.filter = Filter::parse(*text, kind);
    if (const auto text = request.queryParameter("startIndex")) query.startIndex = numberOf("startIndex", *text);
    if (const auto text = request.queryParameter("count")) query.count = numberOf("count", *text);
    query.projection =
        Projection(request.queryParameter("attributes").value_or(""), request.queryParameter("excludedAttributes").value_or(""), kind);
    return bounded(std::move(query));
}

ListQuery ListQuery::of(const boost::json::object& search, const ResourceKind& kind)
{
    ListQuery query;
    if (const auto* filter = findMember(search, "filter"); filter != nullptr && !filter->is_null())
    {
        if (!filter->is_string()) throw Problem::badRequest("invalidFilter", "filter should be a string.");
        query.filter = Filter::parse(viewOf(filter->get_string()), kind);
    }
    setNumber(query.startIndex, search, "startIndex");
    setNumber(query.count, search, "count");
    query.projection = Projection(joined(findMember(search, "attributes")), joined(findMember(search, "excludedAttributes")), kind);
    return bounded(std::move(query));
}

void ListBuilder::add(const boost::json::object& resource)
{
    if (_query.filter && !_query.filter->matches(resource)) return;
    ++_total;
    if (_total >= _query.startIndex && static_cast<std::int64_t>(_page.size()) < _query.count)
        _page.push_back(_query.projection.of(resource));
}

boost::json::object ListBuilder::response() &&
{
    boost::json::object list;
    list["schemas"] = boost::json::array{"urn:ietf:params:scim:api:messages:2.0:ListResponse"};
    list["totalResults"] = _total;
    list["startIndex"] = _query.startIndex;
    list["itemsPerPage"] = _page.size();
    list["Resources"] = std::move(_page);
    return list;
}

} // namespace portico::identity::scim
