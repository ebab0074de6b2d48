#pragma once

#include "portico/HttpClient.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portico::social
{

/// Title, description and picture of a page, for the card of a link. Plain texts; `imageUrl` is absolute or empty.
struct LinkPage
{
    std::string title;
    std::string description;
    std::string siteName;
    std::string imageUrl;
};

/// Reads `<title>` and `<meta>` (Open Graph, Twitter, description) of the beginning of a page. Thread-safe.
/// @param url of the page: relative addresses begin there
LinkPage readLinkPage(std::string_view html, std::string_view url);

/// Fetches a page: at most 3 redirects, 5 seconds, 2 MiB.
/// @throws HttpFailure; Problem 502 `upstream_failed` for an answer that is no page
LinkPage fetchLinkPage(HttpClient& http, std::string_view url);

/// A picture of a page, as its first bytes say.
struct LinkImage
{
    std::string contentType;
    std::string bytes;
};

/// Fetches a JPEG, PNG, WebP or GIF; empty for everything else. @throws HttpFailure
std::optional<LinkImage> fetchLinkImage(HttpClient& http, std::string_view url, std::uint64_t maxBytes);

/// Resolves a URL in a page; empty if it is not a web address.
std::string absoluteUrl(std::string_view base, std::string_view address);

} // namespace portico::social
