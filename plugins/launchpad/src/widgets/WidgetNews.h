#pragma once

#include "catalog/Registry.h"

#include "portico/Plugin.h"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace portico::launchpad
{

/// An app of this host that has changed something of an organization.
struct ChangedApp
{
    std::string organizationId;
    std::string serviceId;
    std::string revision;
};

constexpr auto schemaOf(const ChangedApp*)
{
    return describe(members<&ChangedApp::organizationId, &ChangedApp::serviceId, &ChangedApp::revision>());
}

/// Reports to open dashboards which widgets to fetch again. An event of an app of this host reaches the streams of its organization, at
/// most once in 2 s for each widget; a change within these 2 s is reported at their end. Streams of other hosts do not hear of it.
/// Thread-safe.
class WidgetNews
{
public:
    static constexpr std::chrono::seconds pause{2};

    WidgetNews(PluginContext& context, const Registry& registry) : _context(context), _registry(registry) {}
    /// Subscribes to the events of the services of this host.
    void start();

    /// Returns whether a change of the app was reported to the organization after a payload was fetched, so that the payload is outdated.
    bool changedSince(Tenant organization, std::string_view serviceId, Instant fetchedAt) const;

    /// The channel of a caller's organization, or of the person.
    static Channel channelOf(const Caller& caller) { return Channel(caller.tenantOrSelf(), channelName); }

private:
    static constexpr std::string_view channelName = "widgets";
    using Key = std::pair<std::string, std::string>;
    struct Report
    {
        std::chrono::steady_clock::time_point steady;
        Instant at{};
    };

    void received(const Event& event);
    void publish(const ChangedApp& changed);

    PluginContext& _context;
    const Registry& _registry;
    mutable std::mutex _mutex;
    /// Last report, by organization and service.
    std::map<Key, Report> _reported;
};

} // namespace portico::launchpad
