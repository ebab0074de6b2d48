#pragma once

#include "portico/Plugin.h"

#include <optional>
#include <string>

namespace portico::launchpad
{

/// A payload that an app has sent, with its time.
struct CachedWidget
{
    Instant fetchedAt{};
    std::string json;
};

/// Caches payloads of apps in the state store: fresh for 45 s, and usable up to 5 min if the app fails. If the store is full or
/// unavailable, every lookup is a miss. Thread-safe.
class WidgetCache
{
public:
    static constexpr std::chrono::seconds freshFor{45};
    static constexpr std::chrono::minutes staleFor{5};
    static constexpr std::chrono::seconds refreshPause{10};

    explicit WidgetCache(PluginContext& context) : _context(context) {}
    /// Limits the bytes in the store (`launchpad.widgets.cacheBytes`).
    void start();

    // Keys are those of `widgetKey`.

    std::optional<CachedWidget> find(const std::string& key) const;
    void put(const std::string& key, const CachedWidget& widget) const;
    void remove(const std::string& key) const;
    /// Returns whether a caller may have the widget fetched before its time: once in 10 s.
    bool mayRefresh(const std::string& key) const;

private:
    template <class Work>
    void attempt(Work work) const;

    PluginContext& _context;
};

} // namespace portico::launchpad
