#pragma once

#include "common/Core.h"
#include "outbox/WebhookStore.h"

#include "portico/interfaces/Webhooks.h"

namespace portico::identity
{

/// `portico.webhooks`, and the way of identity's own messages: they go to the host's deliveries a moment after their change, which signs
/// them as Standard Webhooks and tries for a day. Of other services' events the host sends each by itself, to the endpoints that are named
/// here. Thread-safe.
class WebhookSender final : public interfaces::Webhooks
{
public:
    explicit WebhookSender(Core& core) : _core(core) {}
    void start();

    /// None for identity's own events, which have a way of their own.
    std::vector<interfaces::WebhookEndpoint> endpoints(Tenant organization, std::string_view eventType) override;

    std::string sealed(const WebhookId& id, std::string_view secret) const;
    /// What was handed to the host for an endpoint and has not arrived is not tried any more.
    static void drop(Transaction& transaction, Tenant organization, const WebhookId& id, Instant now);
    /// Hands what was written to the host, and forgets what is a month old.
    void flush();

private:
    std::optional<DeliveryEndpoint> find(std::string_view endpointId) const;
    void note(const DeliveryAttempt& attempt) const;
    std::string opened(const Webhook& endpoint) const;
    Core& _core;
};

} // namespace portico::identity
