#include "trends/TrendFetch.h"

#include "networks/NetworkCalls.h"
#include "networks/Urls.h"
#include "networks/bluesky/BlueskyRecords.h"
#include "text/Html.h"
#include "trends/TrendAnswers.h"

#include "portico/Json.h"
#include "portico/Text.h"

#include <algorithm>
#include <charconv>

namespace portico::social
{

namespace
{
constexpr std::chrono::seconds fetchTimeout{5};
constexpr std::uint64_t largestFetch = std::uint64_t{2} << 20;
constexpr std::size_t longestTrendTitle = 300, longestTrendSummary = 2'000, longestTrendUrl = 2'048;
constexpr std::string_view blueskyProfile = "https://bsky.app/profile/";

std::int64_t trendCount(std::string_view text)
{
    std::int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return std::clamp<std::int64_t>(value, 0, 1'000'000'000'000);
}

std::int64_t bounded(std::int64_t count) { return std::clamp<std::int64_t>(count, 0, 1'000'000'000'000); }

SourceMetrics historyMetrics(const std::vector<trends::History>& history, Instant now)
{
    if (history.empty()) return {};
    const auto hours = std::max<std::int64_t>(1, std::chrono::duration_cast<std::chrono::hours>(now.time_since_epoch()).count() % 24);
    const auto uses = trendCount(history.front().uses);
    return {uses, trendCount(history.front().accounts), uses / hours};
}

SourceItem trendItem(std::string_view title, std::string_view summary, std::string_view url, std::string_view language)
{
    SourceItem item;
    item.title = plainText(title, longestTrendTitle);
    item.summary = plainText(summary, longestTrendSummary);
    if (isWebUrl(url) && url.size() <= longestTrendUrl) item.url = url;
    item.language = cleanText(language, 35);
    return item;
}

void add(TrendFetch& fetch, SourceItem item)
{
    if (!item.title.empty()) fetch.items.push_back(std::move(item));
}

/// Name and key of `https://bsky.app/profile/NAME/feed/KEY`.
std::optional<std::pair<std::string, std::string>> feedOf(std::string_view url)
{
    if (!url.starts_with(blueskyProfile)) return std::nullopt;
    url.remove_prefix(blueskyProfile.size());
    const auto middle = url.find("/feed/");
    if (middle == std::string_view::npos) return std::nullopt;
    const auto name = url.substr(0, middle), key = url.substr(middle + 6);
    const auto isPlain = [](std::string_view text)
    {
        return !text.empty() && text.size() < 300 &&
               std::ranges::all_of(text,
                                   [](char c) {
                                       return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == ':' || c == '-' ||
                                              c == '_' || c == '~';
                                   });
    };
    if (!isPlain(name) || !isPlain(key)) return std::nullopt;
    return std::pair(std::string(name), std::string(key));
}
} // namespace

bool isBlueskyFeed(std::string_view url) { return feedOf(url).has_value(); }

std::optional<HttpClient::Response> TrendReader::get(const std::string& url, const TrendSource* conditional, TrendFetch& fetch) const
{
    HttpClient::Request request;
    request.url = url;
    request.timeout = fetchTimeout;
    request.maxResponseBytes = largestFetch;
    request.maxRedirects = 3;
    request.headers = {
        {"Accept", "application/atom+xml, application/rss+xml, application/rdf+xml, application/xml, text/xml, application/json"}};
    if (conditional != nullptr && !conditional->entityTag.empty()) request.headers.emplace_back("If-None-Match", conditional->entityTag);
    if (conditional != nullptr && !conditional->lastModified.empty())
        request.headers.emplace_back("If-Modified-Since", conditional->lastModified);
    const auto answer = exchange(_http, std::move(request));
    if (!answer.response)
    {
        fetch.fault = answer.message.empty() ? "The source is not responding." : answer.message;
        return std::nullopt;
    }
    const auto& response = *answer.response;
    if (conditional != nullptr && response.status == 304)
    {
        fetch.unchanged = true;
        return std::nullopt;
    }
    if (response.status / 100 != 2)
    {
        fetch.fault = "The source answered " + std::to_string(response.status) + ".";
        if (response.status == 429 || response.status == 503) fetch.notBefore = retryTime(response, _clock.now());
        return std::nullopt;
    }
    return response;
}

void TrendReader::readRss(const TrendSource& source, TrendFetch& fetch) const
{
    const auto answer = get(source.url, &source, fetch);
    if (!answer) return;
    try
    {
        const auto feed = readFeed(answer->body, answer->url.empty() ? source.url : answer->url);
        for (const auto& entry : feed.entries)
        {
            auto item = trendItem(entry.title, {}, entry.url, feed.language);
            item.title = entry.title;
            item.summary = entry.summary;
            item.publishedAt = entry.publishedAt;
            item.tags = entry.tags;
            add(fetch, std::move(item));
        }
    }
    catch (const FeedError& error)
    {
        fetch.fault = error.what();
        return;
    }
    const auto validator = [&](std::string_view name)
    {
        const auto* value = answer->header(name);
        return value == nullptr || value->size() > 200 ? std::string() : *value;
    };
    fetch.entityTag = validator("ETag");
    fetch.lastModified = validator("Last-Modified");
}

void TrendReader::readMastodon(const TrendSource& source, TrendFetch& fetch) const
{
    const auto now = _clock.now();
    const auto origin = originOf(source.url);
    const auto read = [&]<class T>(const char* what, const T*) -> std::vector<T>
    {
        if (!fetch.fault.empty()) return {};
        const auto answer = get(origin + "/api/v1/trends/" + what + "?limit=20", nullptr, fetch);
        if (!answer) return {};
        try
        {
            return fromStoredJson<trends::List<T>>(R"({"items":)" + answer->body + "}").items;
        }
        catch (const Problem&)
        {
            fetch.fault = "The server is not a Mastodon server.";
            return {};
        }
    };
    for (const auto& tag : read("tags", static_cast<const trends::Tag*>(nullptr)))
    {
        auto item = trendItem("#" + tag.name, {}, tag.url, {});
        item.metrics = historyMetrics(tag.history, now);
        item.tags = {cleanText(tag.name, 50)};
        if (!tag.name.empty()) add(fetch, std::move(item));
    }
    for (const auto& link : read("links", static_cast<const trends::Link*>(nullptr)))
    {
        auto item = trendItem(link.title, link.description, link.url, link.language);
        item.metrics = historyMetrics(link.history, now);
        add(fetch, std::move(item));
    }
    for (const auto& status : read("statuses", static_cast<const trends::TrendStatus*>(nullptr)))
    {
        auto item = trendItem(status.content, status.content, status.url, status.language);
        item.publishedAt = parseInstant(status.createdAt);
        item.metrics = {bounded(status.replies), bounded(status.reblogs) + bounded(status.favourites), 0};
        add(fetch, std::move(item));
    }
}

void TrendReader::readBluesky(const TrendSource& source, TrendFetch& fetch) const
{
    auto feed = feedOf(source.url);
    if (!feed)
    {
        fetch.fault = "Expected a feed such as https://bsky.app/profile/bsky.app/feed/whats-hot.";
        return;
    }
    if (!feed->first.starts_with("did:"))
    {
        const auto answer =
            get(_blueskyUrl + "/xrpc/com.atproto.identity.resolveHandle?" + toQuery({{"handle", feed->first}}), nullptr, fetch);
        if (!answer) return;
        Exchanged exchanged;
        exchanged.response = *answer;
        const auto resolved = readAnswer<bluesky::ResolvedHandle>(exchanged);
        if (!resolved || !resolved->did.starts_with("did:"))
        {
            fetch.fault = "Bluesky has no account with this handle.";
            return;
        }
        feed->first = resolved->did;
    }
    const auto answer = get(_blueskyUrl + "/xrpc/app.bsky.feed.getFeed?" +
                                toQuery({{"feed", "at://" + feed->first + "/app.bsky.feed.generator/" + feed->second}, {"limit", "50"}}),
                            nullptr, fetch);
    if (!answer) return;
    Exchanged exchanged;
    exchanged.response = *answer;
    const auto page = readAnswer<trends::FeedPage>(exchanged);
    if (!page)
    {
        fetch.fault = "The server is not a Bluesky server.";
        return;
    }
    for (const auto& view : page->feed)
    {
        const auto& post = view.post;
        const auto url = std::string(blueskyProfile) + post.author.handle + "/post/" + post.uri.substr(post.uri.rfind('/') + 1);
        auto item =
            trendItem(post.record.text, post.record.text, url, post.record.langs.empty() ? std::string() : post.record.langs.front());
        item.publishedAt = parseInstant(post.record.createdAt);
        item.metrics = {bounded(post.replyCount) + bounded(post.quoteCount), bounded(post.likeCount) + bounded(post.repostCount), 0};
        add(fetch, std::move(item));
    }
}

TrendFetch TrendReader::fetch(const TrendSource& source) const
{
    TrendFetch fetch;
    switch (source.kind)
    {
    case TrendSourceKind::Rss:
        readRss(source, fetch);
        break;
    case TrendSourceKind::MastodonTrends:
        readMastodon(source, fetch);
        break;
    case TrendSourceKind::BlueskyFeed:
        readBluesky(source, fetch);
        break;
    }
    return fetch;
}

} // namespace portico::social
