#pragma once

#include "host/platform/events/Outbox.h"
#include "host/platform/events/SignedPost.h"
#include "host/platform/jobs/JobRunner.h"
#include "host/plugins/runtime/InterfaceRegistry.h"

#include "portico/Clock.h"
#include "portico/HttpClient.h"
#include "portico/interfaces/Webhooks.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace portico::host::platform
{

/// Type of the jobs that send an event to one webhook endpoint, or (with an empty endpoint) find out to which.
inline constexpr std::string_view webhookJobType = "portico.webhook";

/// The registry of webhook endpoints, while some plugin provides it.
class WebhookDirectory
{
public:
    /// @param installed an installed plugin provides the registry, although it may not run
    explicit WebhookDirectory(const plugins::InterfaceRegistry& interfaces, bool installed = false)
        : _interfaces(interfaces), _expected(installed)
    {
    }

    bool available() const;
    /// Returns true if an installed plugin provides the registry, or one has provided it in this process. Events then wait for it without a
    /// time limit, also while it is disabled. Otherwise events have no webhooks.
    bool expected() const noexcept { return _expected.load(); }
    /// Endpoints that want the event; empty optional while there is no provider.
    std::optional<std::vector<interfaces::WebhookEndpoint>> endpoints(const Event& event) const;
    /// The deliveries to the endpoints of an event; one that asks again later if the registry is away.
    std::vector<NewJob> deliveries(const Event& event) const;

private:
    const plugins::InterfaceRegistry& _interfaces;
    mutable std::atomic<bool> _expected;
};

/// Sends events of one service to webhook endpoints. Each attempt asks the registry for address and secrets, so that jobs contain no
/// secrets and changes of an endpoint apply immediately.
class WebhookRunner final : public JobRunner
{
public:
    WebhookRunner(const Outbox& outbox, JobStore& jobs, const WebhookDirectory& directory, HttpClient& http, const Clock& clock)
        : _outbox(outbox), _jobs(jobs), _directory(directory), _post(http, clock)
    {
    }

    std::vector<std::string> types() const override;
    RunResult run(const ClaimedJob& job, std::stop_token stop) override;
    std::chrono::milliseconds retryDelay(const ClaimedJob& job) const override;

private:
    /// Enqueues a delivery to each endpoint.
    RunResult expand(const std::vector<interfaces::WebhookEndpoint>& endpoints, const Event& event);

    const Outbox& _outbox;
    JobStore& _jobs;
    const WebhookDirectory& _directory;
    const SignedPost _post;
};

} // namespace portico::host::platform
