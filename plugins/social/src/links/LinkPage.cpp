#include "links/LinkPage.h"

#include "text/Html.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

namespace portico::social
{

namespace
{
constexpr std::chrono::seconds pageTimeout{5};
constexpr std::uint64_t largestPage = std::uint64_t{2} << 20;
/// The head of a page is at its beginning.
constexpr std::size_t readBytes = std::size_t{512} << 10;
constexpr std::size_t maxPageTags = 2'000;
constexpr std::size_t longestPageTitle = 300, longestDescription = 1'000, longestSite = 100;

constexpr bool isBlank(char c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// Reads the attributes of a tag, from behind its name to its end.
std::map<std::string, std::string> attributesOf(std::string_view tag)
{
    std::map<std::string, std::string> found;
    for (std::size_t at = 0; at < tag.size() && found.size() < 20;)
    {
        while (at < tag.size() && (isBlank(tag[at]) || tag[at] == '/')) ++at;
        const auto begin = at;
        while (at < tag.size() && !isBlank(tag[at]) && tag[at] != '=' && tag[at] != '/') ++at;
        const auto name = foldCase(tag.substr(begin, at - begin));
        while (at < tag.size() && isBlank(tag[at])) ++at;
        if (at >= tag.size() || tag[at] != '=')
        {
            if (at == begin) ++at;
            continue;
        }
        ++at;
        while (at < tag.size() && isBlank(tag[at])) ++at;
        const char quote = at < tag.size() && (tag[at] == '"' || tag[at] == '\'') ? tag[at++] : '\0';
        const auto from = at;
        while (at < tag.size() && (quote != '\0' ? tag[at] != quote : !isBlank(tag[at]))) ++at;
        found.emplace(name, withoutReferences(tag.substr(from, at - from)));
        if (quote != '\0') ++at;
    }
    return found;
}

/// Returns the end of a tag: the first `>` that is not in quotes.
std::size_t endOfTag(std::string_view html, std::size_t at)
{
    char quote = '\0';
    for (; at < html.size(); ++at)
    {
        if (quote != '\0')
            quote = html[at] == quote ? '\0' : quote;
        else if (html[at] == '>')
            return at;
        else if ((html[at] == '"' || html[at] == '\'') && at > 0 && (html[at - 1] == '=' || isBlank(html[at - 1])))
            quote = html[at];
    }
    return std::string_view::npos;
}

std::string_view typeOfImage(std::string_view bytes)
{
    if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
    if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
    if (bytes.starts_with("RIFF") && bytes.substr(std::min<std::size_t>(8, bytes.size())).starts_with("WEBP")) return "image/webp";
    return {};
}

HttpClient::Request pageRequest(std::string_view url, std::string_view accept, std::uint64_t maxBytes)
{
    HttpClient::Request request;
    request.url = url;
    request.headers = {{"Accept", std::string(accept)}};
    request.timeout = pageTimeout;
    request.maxResponseBytes = maxBytes;
    request.maxRedirects = 3;
    return request;
}
} // namespace

std::string absoluteUrl(std::string_view base, std::string_view address)
{
    const auto found = trim(address);
    std::string url;
    const auto scheme = base.find("://");
    if (found.starts_with("//") && scheme != std::string_view::npos)
        url = std::string(base.substr(0, scheme + 1)) + std::string(found);
    else if (found.find("://") != std::string_view::npos)
        url = found;
    else if (scheme != std::string_view::npos && !found.empty() && found.find(':') == std::string_view::npos)
    {
        const auto hostEnd = std::min(base.find_first_of("/?#", scheme + 3), base.size());
        const auto path = base.substr(hostEnd, std::min(base.find_first_of("?#", hostEnd), base.size()) - hostEnd);
        const auto folder = path.substr(0, path.rfind('/') == std::string_view::npos ? 0 : path.rfind('/') + 1);
        url = std::string(base.substr(0, hostEnd));
        url += found.starts_with('/') ? std::string() : folder.empty() ? "/" : std::string(folder);
        url += found;
    }
    return isWebUrl(url) ? url : std::string();
}

LinkPage readLinkPage(std::string_view html, std::string_view url)
{
    html = html.substr(0, readBytes);
    std::map<std::string, std::string> meta;
    std::string title;
    std::size_t tags = 0;
    for (auto at = html.find('<'); at != std::string_view::npos && ++tags < maxPageTags; at = html.find('<', at))
    {
        if (html.substr(at).starts_with("<!--"))
        {
            const auto end = html.find("-->", at + 4);
            if (end == std::string_view::npos) break;
            at = end + 3;
            continue;
        }
        const auto end = endOfTag(html, at);
        if (end == std::string_view::npos) break;
        const auto tag = html.substr(at + 1, end - at - 1);
        const auto name = foldCase(tag.substr(0, std::min({tag.find_first_of(" \t\r\n\f/"), tag.size(), std::size_t{20}})));
        at = end + 1;
        if (name == "body") break;
        if (name == "title" && title.empty())
            title = html.substr(at, std::min(html.find('<', at), html.size()) - at);
        else if (name == "meta")
        {
            auto attributes = attributesOf(tag.substr(name.size()));
            const auto key = foldCase(attributes.contains("property") ? attributes["property"] : attributes["name"]);
            if (!key.empty() && !attributes["content"].empty()) meta.emplace(key, std::move(attributes["content"]));
        }
    }
    const auto first = [&](std::initializer_list<const char*> names)
    {
        for (const auto* name : names)
            if (const auto found = meta.find(name); found != meta.end()) return found->second;
        return std::string();
    };
    LinkPage page;
    page.title = plainText(first({"og:title", "twitter:title"}), longestPageTitle);
    if (page.title.empty()) page.title = plainText(title, longestPageTitle);
    page.description = plainText(first({"og:description", "twitter:description", "description"}), longestDescription);
    page.siteName = plainText(first({"og:site_name", "application-name"}), longestSite);
    page.imageUrl = absoluteUrl(url, first({"og:image:secure_url", "og:image", "og:image:url", "twitter:image"}));
    return page;
}

LinkPage fetchLinkPage(HttpClient& http, std::string_view url)
{
    const auto answer = http.send(pageRequest(url, "text/html,application/xhtml+xml", largestPage));
    const auto* type = answer.header("Content-Type");
    const bool isPage = type == nullptr || type->starts_with("text/html") || type->starts_with("application/xhtml+xml");
    if (answer.status / 100 != 2 || !isPage)
        throw Problem(502, "upstream_failed", "The address answered " + std::to_string(answer.status) + " without a page.");
    return readLinkPage(answer.body, answer.url.empty() ? url : std::string_view(answer.url));
}

std::optional<LinkImage> fetchLinkImage(HttpClient& http, std::string_view url, std::uint64_t maxBytes)
{
    auto answer = http.send(pageRequest(url, "image/jpeg,image/png,image/webp,image/gif", maxBytes));
    const auto type = typeOfImage(answer.body);
    if (answer.status / 100 != 2 || type.empty()) return std::nullopt;
    return LinkImage{std::string(type), std::move(answer.body)};
}

} // namespace portico::social
