#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/events/Subscriptions.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/interfaces/Webhooks.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::host::platform
{

/// Type of the jobs that hand an event to a subscribed service: one for each service, so that those of a service that is down just wait.
std::string deliveryJobType(std::string_view subscriber);
/// Type of the jobs that send an event to one webhook endpoint, or (with an empty endpoint) find out to which.
inline constexpr std::string_view webhookJobType = "portico.webhook";

/// The registry of webhook endpoints, while some plugin provides it.
class WebhookDirectory
{
public:
    explicit WebhookDirectory(const plugins::InterfaceRegistry& interfaces) : _interfaces(interfaces) {}

    bool available() const;
    /// True once a provider was seen in this process: then its absence is a pause, and events wait for it.
    bool expected() const noexcept { return _seen.load(); }
    /// Endpoints that want the event; empty optional while there is no provider.
    std::optional<std::vector<interfaces::WebhookEndpoint>> endpoints(const Event& event) const;

private:
    const plugins::InterfaceRegistry& _interfaces;
    mutable std::atomic<bool> _seen{false};
};

/// Turns events that wait in an outbox into deliveries: a job for every subscriber, also one that has been away for up to a week, and for
/// every webhook endpoint. Each makes its own progress. Thread-safe.
class EventRouter
{
public:
    static constexpr std::chrono::hours forgetSubscribersAfter{7 * 24};

    EventRouter(const Subscriptions& subscriptions, const WebhookDirectory& webhooks, const Clock& clock);

    /// Dispatches what waits, up to a batch; true if there may be more.
    bool dispatch(const Outbox& outbox) const;
    /// The deliveries to the webhook endpoints of an event; one that asks again later if the registry is away.
    std::vector<NewJob> webhookDeliveries(const Event& event) const;

private:
    std::vector<KnownSubscriber> currentSubscribers(const Outbox& outbox) const;
    bool keep(const Outbox& outbox, const KnownSubscriber& known) const;

    const Subscriptions& _subscriptions;
    const WebhookDirectory& _webhooks;
    const Clock& _clock;
};

/// Hands events of one service to subscribed services.
class EventDeliveryRunner final : public JobRunner
{
public:
    EventDeliveryRunner(const Outbox& outbox, const Subscriptions& subscriptions) : _outbox(outbox), _subscriptions(subscriptions) {}
    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;

private:
    const Outbox& _outbox;
    const Subscriptions& _subscriptions;
};

} // namespace portico::host::platform
