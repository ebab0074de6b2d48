#include "Client.h"
#include "Text.h"

#include <algorithm>

namespace portico::mobile
{

namespace
{

constexpr int maxPages = 20;

/// First line of a cache file: what the second line, the document, is of.
struct CacheHead
{
    std::string session, etag, hash;
    std::int64_t savedAt = 0;
};

std::string hashOf(std::string_view session, std::string_view document)
{
    return base64Url(sha256(std::string(session) + '\n' + std::string(document)));
}

json::array* itemsOf(json::object& list)
{
    auto* items = list.if_contains("items");
    return items ? items->if_array() : nullptr;
}

} // namespace

std::optional<Client::CachedDocument> Client::cachedDocument(const char* name)
{
    const auto session = stored();
    if (!session) return std::nullopt;
    const auto content = _shell.cached(name);
    if (!content) return std::nullopt;
    const auto line = content->find('\n');
    const auto head = line == std::string::npos ? std::nullopt : readObject(std::string_view(*content).substr(0, line));
    auto document = line == std::string::npos ? std::string() : content->substr(line + 1);
    if (!head || textOf(*head, "session") != session->id || textOf(*head, "hash") != hashOf(session->id, document))
    {
        // The file belongs to an earlier user, or is corrupt.
        _shell.forget(name);
        return std::nullopt;
    }
    return CachedDocument{textOf(*head, "etag"), std::move(document), countOf(*head, "savedAt")};
}

void Client::cacheDocument(const char* name, const std::string& etag, std::string_view document) const
{
    const json::object head{{"session", _sessionId}, {"etag", etag}, {"hash", hashOf(_sessionId, document)}, {"savedAt", _shell.now()}};
    _shell.cache(name, json::serialize(head) + '\n' + std::string(document));
}

Document Client::read(const char* name, const std::string& path, pm_source source)
{
    auto known = cachedDocument(name);
    const auto fromCache = [&](Failure failure) -> Document
    {
        if (!known) throw failure;
        return {std::move(known->json), true, std::max<std::int64_t>(0, _shell.now() - known->savedAt)};
    };
    if (source == PM_CACHE_ONLY) return isSignedIn() ? fromCache({PM_OFFLINE}) : throw Failure{PM_SIGNED_OUT};
    HttpCall call{"GET", _settings.launchpadUrl + path, {{"Accept", "application/json"}}};
    if (known && !known->etag.empty()) call.headers.emplace_back("If-None-Match", known->etag);
    std::optional<HttpAnswer> answer;
    try
    {
        answer = ask(call);
        if (answer && answer->status == 200)
        {
            auto whole = restOfList(answer->body);
            // The entity tag is that of the first page only.
            if (whole != answer->body) answer->etag.clear();
            answer->body = std::move(whole);
        }
    }
    catch (const Failure& failure)
    {
        if (failure.status != PM_OFFLINE && failure.status != PM_UNAVAILABLE) throw;
        lastProblem = failure.problem;
        return fromCache(failure);
    }
    if (!answer) return fromCache({PM_OFFLINE});
    if (answer->status == 429 || answer->status >= 500) return fromCache({PM_UNAVAILABLE});
    if (answer->status == 304 && known)
    {
        cacheDocument(name, known->etag, known->json);
        return {std::move(known->json)};
    }
    if (answer->status != 200) refuse(*answer);
    cacheDocument(name, answer->etag, answer->body);
    return {std::move(answer->body)};
}

/// Joins the pages of a list. A document that is no list stays as it is. @throws Failure PM_BAD_ANSWER
std::string Client::restOfList(std::string first)
{
    auto whole = readObject(first);
    if (!whole) throw Failure{PM_BAD_ANSWER};
    auto cursor = textOf(*whole, "nextCursor");
    if (cursor.empty()) return first;
    auto* items = itemsOf(*whole);
    if (!items) throw Failure{PM_BAD_ANSWER};
    for (int page = 1; !cursor.empty(); ++page)
    {
        if (page == maxPages || cursor.size() > 2000) throw Failure{PM_BAD_ANSWER};
        const auto answer = ask(
            {"GET", _settings.launchpadUrl + "/api/catalog?limit=100&cursor=" + percentEncode(cursor), {{"Accept", "application/json"}}});
        if (!answer) throw Failure{PM_OFFLINE};
        if (answer->status != 200) refuse(*answer);
        auto next = readObject(answer->body);
        auto* more = next ? itemsOf(*next) : nullptr;
        if (!more) throw Failure{PM_BAD_ANSWER};
        for (auto& item : *more) items->push_back(std::move(item));
        cursor = textOf(*next, "nextCursor");
    }
    (*whole)["nextCursor"] = nullptr;
    return json::serialize(*whole);
}

Document Client::catalog(pm_source source)
{
    auto document = read("catalog", "/api/catalog?limit=100", source);
    auto object = document.fromCache ? std::nullopt : readObject(document.json);
    // Cached documents were checked when they were stored.
    if (!document.fromCache && (!object || !itemsOf(*object)))
    {
        _shell.forget("catalog");
        throw Failure{PM_BAD_ANSWER};
    }
    return document;
}

Document Client::preferences(pm_source source) { return read("preferences", "/api/preferences", source); }

Document Client::actions(pm_source source)
{
    auto document = read("actions", "/api/actions?status=open&limit=1", source);
    const auto object = readObject(document.json);
    const auto* counts = object ? objectOf(*object, "counts") : nullptr;
    if (!counts)
    {
        _shell.forget("actions");
        throw Failure{PM_BAD_ANSWER};
    }
    document.json = json::serialize(json::object{
        {"open", countOf(*counts, "open")}, {"overdue", countOf(*counts, "overdue")}, {"critical", countOf(*counts, "critical")}});
    return document;
}

} // namespace portico::mobile
