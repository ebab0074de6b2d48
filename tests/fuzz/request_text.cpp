#include "fuzz/Require.h"

#include "portico/Arguments.h"
#include "portico/Problem.h"

#include <algorithm>
#include <array>
#include <string>

namespace
{

using portico::fuzz::require;

struct Filter
{
    std::string q;
    std::vector<std::int64_t> numbers;
    std::optional<bool> flag;
    std::optional<portico::Instant> since;
};

constexpr auto schemaOf(const Filter*)
{
    using namespace portico;
    return describe(field<&Filter::q>().maxLength(20), field<&Filter::numbers>().maxItems(5), members<&Filter::flag, &Filter::since>());
}

} // namespace

namespace
{

void readAsQuery(const portico::Request& request)
{
    try
    {
        for (const auto& [name, value] : request.queryParameters()) require(name.size() + value.size() <= request.query.size());
        Filter filter;
        portico::detail::readQuery(request, portico::detail::typeOf<Filter>, &filter);
        const auto paging = portico::detail::readPaging(request);
        // Nobody but us makes cursors.
        require(paging.limit >= 1 && paging.limit <= 200 && paging.cursor.empty());
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400);
    }
}

portico::Request requestOfList()
{
    portico::Request request;
    request.cursorKey = "0123456789abcdef0123456789abcdef";
    request.route = "GET /api/things";
    return request;
}

/// What we sign, and only that, comes back.
void readOwnCursor(std::string_view payload)
{
    const auto query = "cursor=" + portico::detail::signPageCursor(requestOfList(), payload);
    auto request = requestOfList();
    request.query = query;
    require(portico::detail::readPaging(request).cursor == payload);
}

} // namespace

/// The query and the cookies of a request.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    auto request = requestOfList();
    request.query = text;
    const std::array<portico::HeaderField, 1> headers{{{"Cookie", text}}};
    request.headers = headers;
    require(request.cookie("session").size() <= size);
    readAsQuery(request);
    readOwnCursor(text);
    return 0;
}
