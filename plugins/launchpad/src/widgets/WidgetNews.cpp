#include "widgets/WidgetNews.h"

#include "common/Ids.h"

#include <boost/json.hpp>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view newsJob = "report-widgets";
/// Reports that are remembered; older ones are forgotten, which costs at most an extra report.
constexpr std::size_t maxReported = 10'000;
} // namespace

void WidgetNews::start()
{
    _context.jobs().handle<ChangedApp>(newsJob, [this](const ChangedApp& changed, const Job&) { publish(changed); });
    for (const auto& [service, origin] : _context.host().origins)
        if (service != ownServiceId) _context.events().subscribe(service + ".*", [this](const Event& event) { received(event); });
}

void WidgetNews::received(const Event& event)
{
    if (!event.organizationId.starts_with("org_")) return;
    const ChangedApp changed{event.organizationId, event.type.substr(0, event.type.find('.')), event.id};
    const auto now = _context.clock().steady();
    std::chrono::milliseconds wait{0};
    {
        const std::lock_guard lock(_mutex);
        const auto last = _reported.find({changed.organizationId, changed.serviceId});
        if (last != _reported.end() && now - last->second.steady < pause)
            wait = std::chrono::duration_cast<std::chrono::milliseconds>(last->second.steady + pause - now);
    }
    if (wait.count() == 0) return publish(changed);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            _context.jobs().enqueue(transaction, newsJob, changed,
                                    {.delay = wait, .dedupeKey = "widgets:" + changed.organizationId + ':' + changed.serviceId});
        });
}

bool WidgetNews::changedSince(Tenant organization, std::string_view serviceId, Instant fetchedAt) const
{
    const std::lock_guard lock(_mutex);
    const auto last = _reported.find({std::string(organization.text()), std::string(serviceId)});
    return last != _reported.end() && fetchedAt < last->second.at;
}

void WidgetNews::publish(const ChangedApp& changed)
{
    const auto apps = _registry.apps();
    const auto* app = apps->find(changed.serviceId);
    if (app == nullptr || app->widgets.empty()) return;
    {
        const std::lock_guard lock(_mutex);
        if (_reported.size() >= maxReported) _reported.clear();
        _reported[{changed.organizationId, changed.serviceId}] = {_context.clock().steady(), _context.clock().now()};
    }
    const Channel channel(Tenant::fromStored(changed.organizationId), channelName);
    for (const auto& widget : app->widgets)
        _context.channels().publish(channel, "widget",
                                    boost::json::serialize(boost::json::object{
                                        {"service_id", changed.serviceId}, {"widgetId", widget.id}, {"revision", changed.revision}}));
}

} // namespace portico::launchpad
