#pragma once

#include "catalog/Registry.h"

#include "portico/Plugin.h"

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace portico::launchpad
{

/// An app of this host that has changed something of an organization, or of one member.
struct ChangedApp
{
    std::string organizationId;
    /// The only member whose widgets change; empty for all members.
    std::string userId;
    std::string serviceId;
    std::string revision;
};

constexpr auto schemaOf(const ChangedApp*)
{
    return describe(members<&ChangedApp::organizationId, &ChangedApp::userId, &ChangedApp::serviceId, &ChangedApp::revision>());
}

/// Reports to open dashboards which widgets to fetch again. An event of an app of this host reaches the streams of its organization, at
/// most once in 2 s for each widget; a change within these 2 s is reported at their end. An event whose data has `recipient.userId` reaches
/// that member only. It does not reach streams of other hosts. Thread-safe.
class WidgetNews
{
public:
    static constexpr std::chrono::seconds pause{2};

    WidgetNews(PluginContext& context, const Registry& registry) : _context(context), _registry(registry) {}
    /// Subscribes to the events of the services of this host.
    void start();

    /// Returns whether a change of the app was reported to the caller after a payload was fetched, so that the payload is outdated.
    bool changedSince(const Caller& caller, std::string_view serviceId, Instant fetchedAt) const;

    /// Returns the channels of a caller: of the organization, and of the member.
    static std::vector<Channel> channelsOf(const Caller& caller);

private:
    /// Organization, member or nothing, and service.
    using Key = std::tuple<std::string, std::string, std::string>;
    struct Report
    {
        std::chrono::steady_clock::time_point steady;
        Instant at{};
    };

    static Channel channelOf(Tenant tenant, std::string_view userId);
    static Key keyOf(const ChangedApp& changed) { return {changed.organizationId, changed.userId, changed.serviceId}; }
    void received(const Event& event);
    void publish(const ChangedApp& changed);

    PluginContext& _context;
    const Registry& _registry;
    mutable std::mutex _mutex;
    std::map<Key, Report> _reported;
};

} // namespace portico::launchpad
