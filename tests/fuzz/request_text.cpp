#include "fuzz/Require.h"

#include "portico/Arguments.h"
#include "portico/Problem.h"
#include "portico/system/HostRequest.h"

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
        // Cursors have signatures, so the fuzzer cannot make one.
        require(paging.limit >= 1 && paging.limit <= 200 && paging.cursor.empty());
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 400);
    }
}

portico::system::HostRequest requestOfList()
{
    portico::system::HostRequest request;
    request.signCursorsWith("0123456789abcdef0123456789abcdef");
    request.setRoute("GET /api/things");
    return request;
}

/// Signed cursors are accepted, and only these.
void readOwnCursor(std::string_view payload)
{
    const auto query = "cursor=" + portico::detail::signPageCursor(requestOfList(), payload);
    auto request = requestOfList();
    request.query = query;
    require(portico::detail::readPaging(request).cursor == payload);
}

/// The tag of a record is a number: another number is another tag, however a proxy has rewritten it.
void readAsTag(std::string_view text)
{
    using portico::namesEntityTag, portico::sameEntityTag;
    constexpr std::string_view tag = "\"7\"";
    if (sameEntityTag(text, tag)) require(text.starts_with("\"7") && text.size() > 2 && (text[2] < '0' || text[2] > '9'));
    if (namesEntityTag(text, tag)) require(text.find("\"7") != std::string_view::npos || text.find('*') != std::string_view::npos);
    require(!(sameEntityTag(text, tag) && sameEntityTag(text, "\"8\"")));
}

/// The form of a body is JSON or is not, and what is JSON without a byte is `{}`.
void readAsType(std::string_view text)
{
    portico::Request request;
    const std::array<portico::HeaderField, 1> headers{{{"Content-Type", text}}};
    request.headers = headers;
    try
    {
        require(portico::detail::jsonBody(request) == "{}");
    }
    catch (const portico::Problem& problem)
    {
        require(problem.status() == 415 && !portico::detail::isJsonContentType(text));
    }
}

} // namespace

/// The query, the cookies, the entity tags and the type of a request.
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
    readAsTag(text);
    readAsType(text);
    return 0;
}
