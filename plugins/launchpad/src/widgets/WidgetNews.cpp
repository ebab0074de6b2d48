#include "widgets/WidgetNews.h"

#include "common/Ids.h"

#include "portico/Json.h"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view newsJob = "report-widgets";
/// Reports that are remembered; older ones are forgotten, which costs at most an extra report.
constexpr std::size_t maxReported = 10'000;

struct Recipient
{
    std::string userId;
};

constexpr auto schemaOf(const Recipient*) { return describe(members<&Recipient::userId>()); }

/// The part of an event's data that says whom it concerns.
struct Concerned
{
    std::optional<Recipient> recipient;
};

constexpr auto schemaOf(const Concerned*) { return describe(members<&Concerned::recipient>()); }

/// Returns the only member that an event concerns; empty for the whole organization.
std::string recipientOf(const Event& event)
{
    try
    {
        const auto concerned = fromStoredJson<Concerned>(event.data);
        return concerned.recipient ? concerned.recipient->userId : std::string();
    }
    catch (const std::exception&)
    {
        return {}; // The app uses the name for something else.
    }
}
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
    const ChangedApp changed{event.organizationId, recipientOf(event), event.type.substr(0, event.type.find('.')), event.id};
    const auto now = _context.clock().steady();
    std::chrono::milliseconds wait{0};
    {
        const std::lock_guard lock(_mutex);
        const auto last = _reported.find(keyOf(changed));
        if (last != _reported.end() && now - last->second.steady < pause)
            wait = std::chrono::duration_cast<std::chrono::milliseconds>(last->second.steady + pause - now);
    }
    if (wait.count() == 0) return publish(changed);
    _context.database().transact(
        [&](Transaction& transaction)
        {
            _context.jobs().enqueue(
                transaction, newsJob, changed,
                {.delay = wait, .dedupeKey = "widgets:" + changed.organizationId + ':' + changed.userId + ':' + changed.serviceId});
        });
}

bool WidgetNews::changedSince(const Caller& caller, std::string_view serviceId, Instant fetchedAt) const
{
    const std::string organization(caller.tenantOrSelf().text()), service(serviceId);
    const std::array concerned{std::string(), caller.principalId};
    const std::lock_guard lock(_mutex);
    return std::ranges::any_of(concerned,
                               [&](const std::string& userId)
                               {
                                   const auto last = _reported.find({organization, userId, service});
                                   return last != _reported.end() && fetchedAt < last->second.at;
                               });
}

Channel WidgetNews::channelOf(Tenant tenant, std::string_view userId)
{
    constexpr std::string_view name = "widgets";
    return Channel(tenant, userId.empty() ? std::string(name) : std::string(name) + ':' + std::string(userId));
}

std::vector<Channel> WidgetNews::channelsOf(const Caller& caller)
{
    std::vector<Channel> channels{channelOf(caller.tenantOrSelf(), {})};
    if (!caller.principalId.empty()) channels.push_back(channelOf(caller.tenantOrSelf(), caller.principalId));
    return channels;
}

void WidgetNews::publish(const ChangedApp& changed)
{
    const auto apps = _registry.apps();
    const auto* app = apps->find(changed.serviceId);
    if (app == nullptr || app->widgets.empty()) return;
    {
        const std::lock_guard lock(_mutex);
        if (_reported.size() >= maxReported) _reported.clear();
        _reported[keyOf(changed)] = {_context.clock().steady(), _context.clock().now()};
    }
    const auto channel = channelOf(Tenant::fromStored(changed.organizationId), changed.userId);
    for (const auto& widget : app->widgets)
        _context.channels().publish(channel, "widget",
                                    boost::json::serialize(boost::json::object{
                                        {"service_id", changed.serviceId}, {"widgetId", widget.id}, {"revision", changed.revision}}));
}

} // namespace portico::launchpad
