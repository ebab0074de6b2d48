#include "widgets/WidgetCache.h"

#include <charconv>
#include <chrono>

namespace portico::launchpad
{

namespace
{

std::string stored(const CachedWidget& widget)
{
    const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(widget.fetchedAt.time_since_epoch()).count();
    return std::to_string(millis) + '\n' + widget.json;
}

std::optional<CachedWidget> read(const std::string& text)
{
    const auto end = text.find('\n');
    std::int64_t millis = 0;
    if (end == std::string::npos || std::from_chars(text.data(), text.data() + end, millis).ec != std::errc()) return std::nullopt;
    return CachedWidget{Instant(std::chrono::milliseconds(millis)), text.substr(end + 1)};
}

std::string refreshKey(const std::string& key) { return "widget-refresh:" + key; }
std::string valueKey(const std::string& key) { return "widget:" + key; }

} // namespace

void WidgetCache::start()
{
    attempt([&]
            { _context.state().limit("widget", static_cast<std::uint64_t>(_context.config().integer("launchpad.widgets.cacheBytes"))); });
}

template <class Work>
void WidgetCache::attempt(Work work) const
try
{
    work();
}
catch (const std::exception&)
{
    _context.metrics().count("widget_cache_failures_total", 1, {});
}

std::optional<CachedWidget> WidgetCache::find(const std::string& key) const
{
    std::optional<CachedWidget> found;
    attempt(
        [&]
        {
            if (const auto entry = _context.state().get(valueKey(key))) found = read(entry->value);
        });
    if (found && _context.clock().now() - found->fetchedAt >= staleFor) found.reset();
    return found;
}

void WidgetCache::put(const std::string& key, const CachedWidget& widget) const
{
    attempt([&] { _context.state().put(valueKey(key), stored(widget), staleFor); });
}

void WidgetCache::remove(const std::string& key) const
{
    attempt([&] { _context.state().remove(valueKey(key)); });
}

bool WidgetCache::mayRefresh(const std::string& key) const
{
    bool first = false;
    attempt([&] { first = _context.state().compareAndSet(refreshKey(key), 0, "1", refreshPause); });
    return first;
}

} // namespace portico::launchpad
