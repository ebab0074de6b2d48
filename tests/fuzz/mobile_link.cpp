// Links and callbacks that the mobile library is given, its decoder of percent signs and its form bodies.

#include "fuzz/Require.h"

#include "Text.h"

#include <string>

using namespace portico::mobile;
using portico::fuzz::require;

namespace
{

void checkUrl(std::string_view text)
{
    const auto url = Url::parse(text);
    if (!url)
    {
        require(!isOrigin(text));
        return;
    }
    require(text.size() <= 8192 && !url->scheme.empty() && url->origin.starts_with(url->scheme + ":"));
    require(url->path.find('?') == std::string::npos && url->path.find('#') == std::string::npos);
    // A link to another host never looks like one to ours: an origin is its own origin, and has nothing else.
    if (!url->host.empty())
    {
        const auto origin = Url::parse(url->origin);
        require(origin && origin->origin == url->origin && origin->host == url->host && origin->path.empty() && origin->query.empty());
        require(url->host.find_first_of("/?#@\\ ") == std::string::npos);
    }
    require(isOrigin(text) == (url->isSafe() && url->origin == text));
    for (const auto& [name, value] : url->query) require(url->field(name) == value);
    // The query that is written again is the same.
    const auto again = Url::parse("https://a.example/?" + formOf(url->query));
    if (url->query.empty())
        require(url->field("code").empty());
    else
        require(!again || again->query == url->query);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto text = portico::fuzz::textOf(data, size);
    checkUrl(text);
    checkUrl("https://launchpad.example/launch/crm?" + std::string(text));
    checkUrl("https://" + std::string(text) + ".launchpad.example/launch/crm?code=a");
    const auto encoded = percentEncode(text);
    require(percentDecode(encoded) == std::string(text));
    if (const auto decoded = percentDecode(text)) require(percentDecode(percentEncode(*decoded)) == *decoded);
    if (isPath(text)) require(text.starts_with('/') && !text.starts_with("//"));
    if (isServiceId(text)) require(percentEncode(text) == text);
    if (isToken(text, 100)) require(encoded == text && text.size() <= 100);
    require(base64Url(text).find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") == std::string::npos);
    return 0;
}
