#pragma once

#include "trends/FeedReader.h"
#include "trends/SourceItem.h"
#include "trends/TrendSource.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Result of one fetch of a source.
struct TrendFetch
{
    /// Title, summary, URL, language, time, tags and metrics are filled in.
    std::vector<SourceItem> items;
    /// The source has not changed since the last fetch.
    bool unchanged = false;
    /// Validators of the answer, for the next fetch.
    std::string entityTag;
    std::string lastModified;
    /// Why the fetch failed; empty: it did not. For the user.
    std::string fault;
    /// The time that the server asks to wait for.
    std::optional<Instant> notBefore;
};

/// Reads the sources of trends: one call or three, at most 3 redirects, 5 seconds and 2 MiB each. Thread-safe.
class TrendReader
{
public:
    /// @param blueskyUrl of a server that answers for feeds of Bluesky
    TrendReader(HttpClient& http, const Clock& clock, std::string blueskyUrl)
        : _http(http), _clock(clock), _blueskyUrl(std::move(blueskyUrl))
    {
    }
    /// Throws nothing that another server can cause.
    TrendFetch fetch(const TrendSource& source) const;

private:
    std::optional<HttpClient::Response> get(const std::string& url, const TrendSource* conditional, TrendFetch& fetch) const;
    void readRss(const TrendSource& source, TrendFetch& fetch) const;
    void readMastodon(const TrendSource& source, TrendFetch& fetch) const;
    void readBluesky(const TrendSource& source, TrendFetch& fetch) const;

    HttpClient& _http;
    const Clock& _clock;
    const std::string _blueskyUrl;
};

/// Returns whether a URL names a feed of Bluesky: `https://bsky.app/profile/NAME/feed/KEY`.
bool isBlueskyFeed(std::string_view url);

} // namespace portico::social
