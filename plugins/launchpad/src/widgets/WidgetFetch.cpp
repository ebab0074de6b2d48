#include "widgets/WidgetFetch.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace portico::launchpad
{

namespace
{

using Outcome = CallResult::Outcome;

std::string encoded(std::string_view text)
{
    constexpr char digits[] = "0123456789ABCDEF";
    std::string out;
    for (const unsigned char c : text)
    {
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '~';
        if (plain)
            out.push_back(static_cast<char>(c));
        else
            out.append({'%', digits[c >> 4], digits[c & 15]});
    }
    return out;
}

std::string queryOf(const Fetch& fetch, const FetchContext& context)
{
    std::string query = "widgetId=" + encoded(fetch.expected.widgetId) + "&context=" + context.context;
    if (!context.organizationId.empty()) query += "&organizationId=" + encoded(context.organizationId);
    if (!fetch.householdId.empty()) query += "&householdId=" + encoded(fetch.householdId);
    return query + "&locale=" + encoded(context.locale);
}

/// Path and query of a URL.
std::string pathOf(std::string_view url)
{
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return std::string(url);
    const auto path = url.find('/', scheme + 3);
    return path == std::string_view::npos ? "/" : std::string(url.substr(path));
}

/// A 204 means that the app has no content for the widget.
std::string emptyWidget(const ExpectedWidget& expected, Instant now)
{
    boost::json::object context{{"kind", expected.context}};
    if (!expected.organizationId.empty()) context["organizationId"] = expected.organizationId;
    const boost::json::object widget{{"schemaVersion", 1},
                                     {"service_id", expected.serviceId},
                                     {"widgetId", expected.widgetId},
                                     {"status", "empty"},
                                     {"title", expected.serviceId},
                                     {"generatedAt", toString(now)},
                                     {"context", context},
                                     {"emptyState", {{"title", "Nothing to show"}, {"body", ""}}}};
    return readWidget(boost::json::serialize(widget), expected).json;
}

std::string errorOf(const CallResult& result)
{
    switch (result.outcome)
    {
    case Outcome::Responded:
        return result.response.status == 200 ? "bad_payload" : "http_" + std::to_string(result.response.status);
    case Outcome::TimedOut:
        return "timeout";
    case Outcome::TooLarge:
        return "too_large";
    case Outcome::Failed:
        return "bad_payload";
    case Outcome::NotReached:
    case Outcome::NotAllowed:
        break;
    }
    return "connect_failed";
}

bool isRevoked(int status) noexcept { return status == 401 || status == 403 || status == 404; }

} // namespace

void WidgetFetch::start() { _overrides = parseOverrides(_context.config().list("launchpad.widgetHostOverrides")); }

Call WidgetFetch::callFor(const Fetch& fetch, const FetchContext& context) const
{
    Call call;
    const auto other = _overrides.find(fetch.service);
    const auto& url = other == _overrides.end() ? fetch.widgetUrl : other->second;
    const auto query = (url.find('?') == std::string::npos ? '?' : '&') + queryOf(fetch, context);
    if (fetch.local && other == _overrides.end())
    {
        call.service = fetch.service;
        call.request.url = pathOf(url) + query;
        call.clientAddress = context.clientAddress;
    }
    else
        call.request.url = url + query;
    call.request.headers = {
        {"Authorization", "Bearer " + fetch.token}, {"Accept", "application/json"}, {"X-Request-Id", context.requestId}};
    call.request.timeout = _callTimeout;
    call.request.maxResponseBytes = maxWidgetBytes;
    return call;
}

bool WidgetFetch::enter(const std::string& service)
{
    const std::lock_guard lock(_mutex);
    auto& count = _ofApps[service];
    if (count >= parallelPerApp) return false;
    ++count;
    return true;
}

void WidgetFetch::leave(const std::string& service)
{
    const std::lock_guard lock(_mutex);
    const auto found = _ofApps.find(service);
    if (found != _ofApps.end() && --found->second == 0) _ofApps.erase(found);
}

void WidgetFetch::run(std::vector<Fetch> fetches, const FetchContext& context, std::chrono::milliseconds budget)
{
    // A late result may come while another request runs.
    const auto begun = std::make_shared<std::vector<Fetch>>();
    std::vector<Call> calls;
    for (auto& fetch : fetches)
        if (!enter(fetch.service))
            refuse(fetch, "timeout", false);
        else
        {
            calls.push_back(callFor(fetch, context));
            begun->push_back(std::move(fetch));
        }
    if (calls.empty()) return;

    std::size_t parallel = 0;
    {
        const std::lock_guard lock(_mutex);
        auto& used = _ofUsers[context.principal];
        parallel = used < parallelPerUser ? parallelPerUser - used : 1;
        parallel = std::min(parallel, calls.size());
        used += parallel;
    }
    auto results = _context.calls().send(
        std::move(calls), budget, [this, begun](std::size_t index, const CallResult& result) { settle((*begun)[index], result); },
        parallel);
    {
        const std::lock_guard lock(_mutex);
        const auto used = _ofUsers.find(context.principal);
        if ((used->second -= parallel) == 0) _ofUsers.erase(used);
    }
    for (std::size_t i = 0; i < results.size(); ++i)
        if (results[i]) settle((*begun)[i], *results[i]);
}

void WidgetFetch::refuse(const Fetch& fetch, std::string error, bool revoked)
{
    if (revoked) _cache.remove(fetch.key);
    FetchOutcome outcome;
    outcome.error = std::move(error);
    outcome.revoked = revoked;
    _flights.land(fetch.key, fetch.flight, std::move(outcome));
}

void WidgetFetch::answer(const Fetch& fetch, const CachedWidget& payload)
{
    FetchOutcome outcome;
    outcome.json = payload.json;
    outcome.fetchedAt = payload.fetchedAt;
    _flights.land(fetch.key, fetch.flight, std::move(outcome));
}

void WidgetFetch::settle(const Fetch& fetch, const CallResult& result)
{
    leave(fetch.service);
    auto outcome = outcomeOf(fetch, result);
    if (outcome.error.empty())
        _cache.put(fetch.key, {outcome.fetchedAt, outcome.json});
    else if (outcome.revoked)
        _cache.remove(fetch.key);
    // An app that refuses this caller works.
    const bool works = outcome.error.empty() || outcome.revoked;
    // A call that was not started does not count for the breaker.
    const bool begun = result.outcome != Outcome::TimedOut || result.took.count() > 0;
    if (works)
        _breaker.succeeded(fetch.service);
    else if (begun)
        _breaker.failed(fetch.service, _context.clock().steady());
    _context.metrics().count("widget_fetches_total", 1,
                             {{"service", fetch.service}, {"result", outcome.error.empty() ? std::string("ok") : outcome.error}});
    _flights.land(fetch.key, fetch.flight, std::move(outcome));
}

FetchOutcome WidgetFetch::outcomeOf(const Fetch& fetch, const CallResult& result) const
{
    FetchOutcome outcome;
    outcome.fetchedAt = _context.clock().now();
    if (result.responded())
    {
        outcome.status = result.response.status;
        outcome.revoked = isRevoked(outcome.status);
        if (outcome.status == 204) outcome.json = emptyWidget(fetch.expected, outcome.fetchedAt);
        if (outcome.status == 200)
        {
            auto payload = readWidget(result.response.body, fetch.expected);
            if (payload.json.empty())
                _context.logger().warning("the widget of an app is not valid", {{"service", fetch.service}, {"member", payload.fault}});
            outcome.json = std::move(payload.json);
        }
    }
    if (outcome.json.empty()) outcome.error = errorOf(result);
    return outcome;
}

} // namespace portico::launchpad
