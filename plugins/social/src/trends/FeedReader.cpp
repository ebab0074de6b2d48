#include "trends/FeedReader.h"

#include "links/LinkPage.h"
#include "text/Html.h"

#include "portico/Text.h"

#include <expat.h>

#include <algorithm>
#include <array>
#include <memory>

namespace portico::social
{

namespace
{
constexpr std::size_t maxEntries = 200;
constexpr int deepestElement = 64;
constexpr std::size_t maxFeedElements = 100'000;
constexpr std::size_t longestFeedText = std::size_t{64} << 10;
constexpr std::size_t longestFeedTitle = 300, longestFeedSummary = 2'000, maxFeedTags = 20, longestFeedTag = 50;

constexpr std::array<std::string_view, 5> feedReferences = {"amp", "lt", "gt", "quot", "apos"};

/// Prepares real feeds for expat: a control character becomes a blank, and the `&` of a reference that XML does not know becomes `&amp;`.
std::string prepared(std::string_view bytes)
{
    // Keeps UTF-16 for the parser.
    if (bytes.starts_with("\xff\xfe") || bytes.starts_with("\xfe\xff")) return std::string(bytes);
    std::string text;
    text.reserve(bytes.size() + 64);
    for (std::size_t at = 0; at < bytes.size(); ++at)
    {
        const char c = bytes[at];
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r')
        {
            text += ' ';
            continue;
        }
        text += c;
        if (c != '&') continue;
        const auto end = bytes.substr(at + 1, 10).find(';');
        const auto name = end == std::string_view::npos ? std::string_view() : bytes.substr(at + 1, end);
        const bool isNumber =
            name.size() > 1 && name[0] == '#' && name.find_first_not_of("0123456789abcdefABCDEFxX", 1) == std::string_view::npos;
        if (!isNumber && std::ranges::find(feedReferences, name) == feedReferences.end()) text += "amp;";
    }
    return text;
}

/// Entry being parsed, with its raw texts.
struct OpenEntry
{
    std::string title, summary, content, link, permalink, date;
    std::vector<std::string> tags;
};

/// Collects what expat reports.
struct FeedBuilder
{
    XML_Parser parser;
    std::string_view url;
    Feed feed;
    /// Local names of the open elements.
    std::vector<std::string> open;
    std::optional<OpenEntry> entry;
    std::string text;
    std::size_t elements = 0;
    bool isFeed = false, isDone = false;
    const char* fault = nullptr;

    void stop(const char* why)
    {
        fault = why;
        XML_StopParser(parser, XML_FALSE);
    }
    void begin(std::string_view name, const XML_Char** attributes);
    void end();
    void finishEntry();
    void take(std::string_view name, std::string value);
};

FeedBuilder& builderOf(void* user) { return *static_cast<FeedBuilder*>(user); }

/// Returns `title` of a name in the namespaces of feeds, and `media:title` for any other one, which is not read.
std::string feedName(std::string_view name)
{
    const auto blank = name.rfind(' ');
    if (blank == std::string_view::npos) return std::string(name);
    const auto space = name.substr(0, blank), local = name.substr(blank + 1);
    if (space == "http://www.w3.org/2005/Atom" || space == "http://purl.org/rss/1.0/" ||
        space == "http://www.w3.org/1999/02/22-rdf-syntax-ns#" || space == "http://purl.org/atom/ns#")
        return std::string(local);
    if (space == "http://purl.org/dc/elements/1.1/") return "dc:" + std::string(local);
    if (space == "http://purl.org/rss/1.0/modules/content/") return "content:" + std::string(local);
    return "other:" + std::string(local);
}

std::string_view attribute(const XML_Char** attributes, std::string_view name)
{
    for (; *attributes != nullptr; attributes += 2)
        if (attributes[0] == name) return attributes[1];
    return {};
}

void FeedBuilder::begin(std::string_view name, const XML_Char** attributes)
{
    if (open.size() >= deepestElement || ++elements > maxFeedElements || name.size() > 256)
        return stop("The feed is too deep or too long.");
    auto local = feedName(name);
    if (open.empty())
    {
        isFeed = local == "rss" || local == "RDF" || local == "feed";
        if (!isFeed) return stop("The address returned XML that is not a feed.");
        feed.language = attribute(attributes, "http://www.w3.org/XML/1998/namespace lang");
    }
    if ((local == "item" || local == "entry") && !entry) entry.emplace();
    if (entry && local == "link" && !attribute(attributes, "href").empty())
    {
        const auto relation = attribute(attributes, "rel");
        if ((relation.empty() || relation == "alternate") && entry->link.empty()) entry->link = attribute(attributes, "href");
    }
    if (entry && local == "category" && !attribute(attributes, "term").empty() && entry->tags.size() < maxFeedTags)
        entry->tags.emplace_back(attribute(attributes, "term"));
    open.push_back(std::move(local));
    text.clear();
}

void FeedBuilder::end()
{
    // After a stop expat still reports the end of an empty element, whose start is not in `open`.
    if (fault != nullptr) return;
    const auto name = std::move(open.back());
    open.pop_back();
    if (entry && (name == "item" || name == "entry"))
        finishEntry();
    else if (entry || !open.empty())
        take(name, std::move(text));
    text.clear();
}

void FeedBuilder::take(std::string_view name, std::string value)
{
    if (!entry)
    {
        const bool ofFeed = open.back() == "channel" || open.back() == "feed";
        if (ofFeed && name == "title" && feed.title.empty()) feed.title = plainText(value, longestFeedTitle);
        if (ofFeed && (name == "language" || name == "dc:language")) feed.language = value;
        return;
    }
    // Ignores nested elements of the entry.
    if (open.back() != "item" && open.back() != "entry") return;
    const auto keep = [&](std::string& place)
    {
        if (place.empty()) place = std::move(value);
    };
    if (name == "title" || name == "dc:title")
        keep(entry->title);
    else if (name == "description" || name == "summary" || name == "dc:description")
        keep(entry->summary);
    else if (name == "content" || name == "content:encoded")
        keep(entry->content);
    else if (name == "link")
        keep(entry->link);
    else if (name == "guid" || name == "id")
        keep(entry->permalink);
    else if (name == "pubDate" || name == "published" || name == "dc:date")
        entry->date = std::move(value);
    else if (name == "updated" || name == "issued")
        keep(entry->date);
    else if ((name == "category" || name == "dc:subject") && entry->tags.size() < maxFeedTags && !value.empty())
        entry->tags.push_back(std::move(value));
}

void FeedBuilder::finishEntry()
{
    FeedEntry made;
    made.title = plainText(entry->title, longestFeedTitle);
    made.summary = plainText(entry->summary.empty() ? entry->content : entry->summary, longestFeedSummary);
    made.url = absoluteUrl(url, entry->link.empty() ? entry->permalink : entry->link);
    made.publishedAt = parseFeedDate(entry->date);
    for (const auto& tag : entry->tags)
        if (auto clean = plainText(tag, longestFeedTag); !clean.empty() && std::ranges::find(made.tags, clean) == made.tags.end())
            made.tags.push_back(std::move(clean));
    entry.reset();
    if (made.title.empty()) made.title = std::string(firstCharacters(made.summary, longestFeedTitle));
    if (made.title.empty()) return;
    feed.entries.push_back(std::move(made));
    if (feed.entries.size() >= maxEntries)
    {
        isDone = true;
        XML_StopParser(parser, XML_FALSE);
    }
}

void onFeedStart(void* user, const XML_Char* name, const XML_Char** attributes) { builderOf(user).begin(name, attributes); }

void onFeedEnd(void* user, const XML_Char*) { builderOf(user).end(); }

void onFeedText(void* user, const XML_Char* text, int size)
{
    auto& builder = builderOf(user);
    const auto room = longestFeedText - std::min(builder.text.size(), longestFeedText);
    builder.text.append(text, std::min(static_cast<std::size_t>(size), room));
}

void onFeedDocumentType(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int)
{
    builderOf(user).stop("The feed contains a document type declaration, which is not allowed.");
}
} // namespace

Feed readFeed(std::string_view bytes, std::string_view url)
{
    const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreateNS(nullptr, ' '), XML_ParserFree);
    if (!parser) throw std::bad_alloc();
    FeedBuilder builder;
    builder.parser = parser.get();
    builder.url = url;
    XML_SetUserData(parser.get(), &builder);
    XML_SetElementHandler(parser.get(), onFeedStart, onFeedEnd);
    XML_SetCharacterDataHandler(parser.get(), onFeedText);
    XML_SetStartDoctypeDeclHandler(parser.get(), onFeedDocumentType);
    const auto text = prepared(withoutByteOrderMark(bytes));
    const bool read = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) == XML_STATUS_OK;
    if (builder.fault != nullptr) throw FeedError(builder.fault);
    // A truncated feed is read up to the fault, if it has entries.
    if (!read && !builder.isDone && builder.feed.entries.empty()) throw FeedError("The address did not return a feed.");
    builder.feed.title = cleanText(builder.feed.title, longestFeedTitle);
    builder.feed.language = cleanText(trim(builder.feed.language), 35);
    return std::move(builder.feed);
}

} // namespace portico::social
