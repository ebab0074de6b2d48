#include "widgets/WidgetPayload.h"

#include "portico/Instant.h"
#include "portico/Text.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace portico::launchpad
{

namespace
{

namespace json = boost::json;

constexpr std::size_t maxTitle = 80, maxSummary = 160, maxText = 200, maxLink = 2'000;
constexpr std::size_t maxMetrics = 6, maxItems = 10, maxSeries = 2, maxPoints = 60, maxActions = 4;
constexpr std::size_t maxDepth = 16;

struct BadWidget : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

[[noreturn]] void fail(std::string_view member) { throw BadWidget(std::string(member)); }

bool isPlain(std::string_view text) noexcept
{
    return std::ranges::none_of(text, [](unsigned char c) { return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f; });
}

/// Null for a member that is absent or null.
const json::value* find(const json::object& object, std::string_view name)
{
    const auto* found = object.if_contains(name);
    return found != nullptr && !found->is_null() ? found : nullptr;
}

std::string_view textOf(const json::object& object, std::string_view name, std::size_t most = maxText, bool required = false)
{
    const auto* found = find(object, name);
    if (found == nullptr)
    {
        if (required) fail(name);
        return {};
    }
    const auto* text = found->if_string();
    if (text == nullptr || !isPlain(*text) || characterCount(*text) > most || (required && text->empty())) fail(name);
    return *text;
}

/// Reads a text like `textOf`, null where there is none.
json::value textOrNull(const json::object& object, std::string_view name, std::size_t most = maxText)
{
    return find(object, name) == nullptr ? json::value() : json::value(textOf(object, name, most));
}

std::string_view choiceOf(const json::object& object, std::string_view name, std::initializer_list<std::string_view> choices,
                          std::string_view otherwise)
{
    const auto text = find(object, name) == nullptr ? otherwise : textOf(object, name);
    if (std::ranges::find(choices, text) == choices.end()) fail(name);
    return text;
}

/// A link within the app, null where there is none.
json::value linkOf(const json::object& object, std::string_view name, bool required = false)
{
    const auto href = textOf(object, name, maxLink, required);
    if (href.empty()) return nullptr;
    if (!isLocalLink(href)) fail(name);
    return json::value(href);
}

json::value imageOf(const json::object& object, std::string_view name)
{
    const auto url = textOf(object, name, maxLink);
    if (url.empty()) return nullptr;
    if (!isLocalLink(url) && !isWebUrl(url)) fail(name);
    return json::value(url);
}

json::value instantOf(const json::object& object, std::string_view name, bool required = false)
{
    const auto text = textOf(object, name, maxText, required);
    if (text.empty()) return nullptr;
    const auto instant = parseInstant(text);
    if (!instant) fail(name);
    return json::value(toString(*instant));
}

std::int64_t countOf(const json::object& object, std::string_view name, std::int64_t otherwise, std::int64_t most)
{
    const auto* found = find(object, name);
    if (found == nullptr) return otherwise;
    if (!found->is_int64() || found->as_int64() < 0 || found->as_int64() > most) fail(name);
    return found->as_int64();
}

bool isNumber(const json::value& value)
{
    return value.is_int64() || value.is_uint64() || (value.is_double() && std::isfinite(value.as_double()));
}

const json::object& objectOf(const json::value& value, std::string_view name)
{
    const auto* object = value.if_object();
    if (object == nullptr) fail(name);
    return *object;
}

/// Cleans each element of a list; an absent list is empty.
template <class Clean>
json::array listOf(const json::object& object, std::string_view name, std::size_t most, Clean clean)
{
    json::array list;
    const auto* found = find(object, name);
    if (found == nullptr) return list;
    const auto* elements = found->if_array();
    if (elements == nullptr || elements->size() > most) fail(name);
    for (const auto& element : *elements) list.push_back(clean(objectOf(element, name)));
    return list;
}

json::value metricValue(const json::object& metric, std::string_view format)
{
    const auto* value = find(metric, "value");
    if (value == nullptr) fail("value");
    if (format == "text") return json::value(textOf(metric, "value", maxText, true));
    const bool fraction = format == "decimal" || format == "percent";
    if (!isNumber(*value) || (!fraction && !value->is_int64())) fail("value");
    return *value;
}

json::value deltaOf(const json::object& metric)
{
    const auto* found = find(metric, "delta");
    if (found == nullptr) return nullptr;
    const auto& delta = objectOf(*found, "delta");
    const auto* value = find(delta, "value");
    if (value == nullptr || !isNumber(*value)) fail("delta");
    return json::object{{"value", *value},
                        {"direction", choiceOf(delta, "direction", {"up", "down", "flat"}, "flat")},
                        {"period", textOf(delta, "period")},
                        {"sentiment", choiceOf(delta, "sentiment", {"good", "bad", "neutral"}, "neutral")}};
}

json::object metricOf(const json::object& metric)
{
    const auto format =
        choiceOf(metric, "format", {"integer", "decimal", "percent", "currency", "bytes", "duration_seconds", "text"}, "integer");
    const auto currency = textOf(metric, "currency");
    const bool isCode = currency.size() == 3 && std::ranges::all_of(currency, [](char c) { return c >= 'A' && c <= 'Z'; });
    if (!currency.empty() && !isCode) fail("currency");
    return {{"id", textOf(metric, "id", maxText, true)},
            {"label", textOf(metric, "label", maxText, true)},
            {"value", metricValue(metric, format)},
            {"format", format},
            {"unit", textOrNull(metric, "unit")},
            {"currency", currency.empty() ? json::value() : json::value(currency)},
            {"delta", deltaOf(metric)},
            {"href", linkOf(metric, "href")}};
}

json::object itemOf(const json::object& item)
{
    return {{"id", textOf(item, "id", maxText, true)},
            {"title", textOf(item, "title", maxText, true)},
            {"subtitle", textOf(item, "subtitle")},
            {"timestamp", instantOf(item, "timestamp")},
            {"status", choiceOf(item, "status", {"neutral", "info", "success", "warning", "critical"}, "neutral")},
            {"badge", textOrNull(item, "badge")},
            {"iconUrl", imageOf(item, "iconUrl")},
            {"href", linkOf(item, "href")}};
}

json::array pointOf(const json::value& point)
{
    const auto* pair = point.if_array();
    if (pair == nullptr || pair->size() != 2) fail("points");
    const auto* at = (*pair)[0].if_string();
    const auto& value = (*pair)[1];
    if (at == nullptr || at->size() > 40 || !isPlain(*at) || !(isNumber(value) || value.is_null())) fail("points");
    return *pair;
}

json::object seriesOf(const json::object& series)
{
    json::array points;
    if (const auto* found = find(series, "points"))
    {
        const auto* elements = found->if_array();
        if (elements == nullptr || elements->size() > maxPoints) fail("points");
        for (const auto& element : *elements) points.push_back(pointOf(element));
    }
    return {{"id", textOf(series, "id", maxText, true)},
            {"label", textOf(series, "label")},
            {"unit", textOf(series, "unit")},
            {"points", std::move(points)}};
}

json::object actionOf(const json::object& action)
{
    return {{"id", textOf(action, "id", maxText, true)},
            {"label", textOf(action, "label", maxText, true)},
            {"href", linkOf(action, "href", true)},
            {"style", choiceOf(action, "style", {"primary", "secondary", "danger"}, "secondary")},
            {"requiresPermission", textOrNull(action, "requiresPermission")}};
}

json::value emptyStateOf(const json::object& widget, bool required)
{
    const auto* found = find(widget, "emptyState");
    if (found == nullptr)
    {
        if (required) fail("emptyState");
        return nullptr;
    }
    const auto& state = objectOf(*found, "emptyState");
    json::object clean{{"title", textOf(state, "title", maxText, required)}, {"body", textOf(state, "body")}};
    if (const auto* action = find(state, "action")) clean["action"] = actionOf(objectOf(*action, "emptyState"));
    return clean;
}

json::value linkedOf(const json::object& widget, std::string_view name)
{
    const auto* found = find(widget, name);
    if (found == nullptr) return nullptr;
    const auto& link = objectOf(*found, name);
    return json::object{{"label", textOf(link, "label", maxText, true)}, {"href", linkOf(link, "href", true)}};
}

json::value setupOf(const json::object& widget, bool required)
{
    const auto* found = find(widget, "setup");
    if (found == nullptr)
    {
        if (required) fail("setup");
        return nullptr;
    }
    const auto& setup = objectOf(*found, "setup");
    return json::object{
        {"title", textOf(setup, "title", maxText, true)}, {"body", textOf(setup, "body")}, {"href", linkOf(setup, "href", true)}};
}

json::object contextOf(const json::object& widget, const ExpectedWidget& expected)
{
    const auto* found = find(widget, "context");
    if (found == nullptr) fail("context");
    const auto& context = objectOf(*found, "context");
    const auto kind = textOf(context, "kind", maxText, true);
    const bool household = kind == "household" && expected.context == "personal";
    if ((kind != expected.context && !household) || textOf(context, "organizationId") != expected.organizationId) fail("context");
    json::object clean{{"kind", expected.context}};
    if (!expected.organizationId.empty()) clean["organizationId"] = expected.organizationId;
    return clean;
}

json::value accentOf(const json::object& widget)
{
    const auto accent = textOf(widget, "accent");
    if (accent.empty()) return nullptr;
    const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
    if (accent.size() != 7 || accent.front() != '#' || !std::ranges::all_of(accent.substr(1), isHex)) fail("accent");
    return json::value(accent);
}

json::object clean(const json::object& widget, const ExpectedWidget& expected)
{
    if (countOf(widget, "schemaVersion", 0, 1) != 1) fail("schemaVersion");
    if (textOf(widget, "service_id") != expected.serviceId) fail("service_id");
    if (textOf(widget, "widgetId") != expected.widgetId) fail("widgetId");
    const auto status = choiceOf(widget, "status", {"ok", "empty", "setup_required", "degraded"}, "");
    constexpr std::int64_t day = 86'400;
    const auto refresh = countOf(widget, "refreshAfterSeconds", 45, 365 * day);
    json::object counts{{"attention", 0}, {"unread", 0}};
    if (const auto* found = find(widget, "counts"))
        for (auto& [name, value] : counts) value = countOf(objectOf(*found, "counts"), name, 0, 1'000'000'000);
    return {{"schemaVersion", 1},
            {"service_id", expected.serviceId},
            {"widgetId", expected.widgetId},
            {"status", status},
            {"title", textOf(widget, "title", maxTitle, true)},
            {"summary", textOf(widget, "summary", maxSummary)},
            {"iconUrl", imageOf(widget, "iconUrl")},
            {"accent", accentOf(widget)},
            {"generatedAt", instantOf(widget, "generatedAt", true)},
            {"refreshAfterSeconds", std::clamp<std::int64_t>(refresh, 15, day)},
            {"expiresAt", instantOf(widget, "expiresAt")},
            {"context", contextOf(widget, expected)},
            {"metrics", listOf(widget, "metrics", maxMetrics, metricOf)},
            {"items", listOf(widget, "items", maxItems, itemOf)},
            {"series", listOf(widget, "series", maxSeries, seriesOf)},
            {"actions", listOf(widget, "actions", maxActions, actionOf)},
            {"counts", std::move(counts)},
            {"emptyState", emptyStateOf(widget, status == "empty")},
            {"more", linkedOf(widget, "more")},
            {"setup", setupOf(widget, status == "setup_required")}};
}

} // namespace

bool isLocalLink(std::string_view href) noexcept
{
    const bool begins = href.starts_with('/') && !href.starts_with("//");
    return begins && href.size() <= maxLink &&
           std::ranges::none_of(href,
                                [](unsigned char c) { return c <= 0x20 || c == 0x7f || c == '\\' || c == '"' || c == '<' || c == '>'; });
}

WidgetPayload readWidget(std::string_view body, const ExpectedWidget& expected)
try
{
    if (body.size() > maxWidgetBytes) return {{}, "size"};
    json::parse_options options;
    options.max_depth = maxDepth;
    json::error_code error;
    const auto parsed = json::parse(body, error, {}, options);
    if (error || !parsed.is_object()) return {{}, "JSON"};
    return {json::serialize(clean(parsed.get_object(), expected)), {}};
}
catch (const BadWidget& bad)
{
    return {{}, bad.what()};
}

} // namespace portico::launchpad
