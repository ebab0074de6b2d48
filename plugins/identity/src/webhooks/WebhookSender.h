#pragma once

#include "common/Core.h"
#include "outbox/WebhookStore.h"

#include "portico/interfaces/Webhooks.h"

namespace portico::identity
{

/// Implements `portico.webhooks`, and sends identity's messages. They are handed to the host's deliveries shortly after the change. The
/// host signs them by Standard Webhooks and retries for a day. For events of other services, the host asks here for the endpoints and sends
/// the messages. Thread-safe.
class WebhookSender final : public interfaces::Webhooks
{
public:
    explicit WebhookSender(Core& core) : _core(core) {}
    void start();

    /// Returns none for identity's events, which are sent separately.
    std::vector<interfaces::WebhookEndpoint> endpoints(Tenant organization, std::string_view eventType) override;

    std::string sealed(const WebhookId& id, std::string_view secret) const;
    /// Drops undelivered messages that were handed to the host for an endpoint.
    static void drop(Transaction& transaction, Tenant organization, const WebhookId& id, Instant now);
    /// Hands recorded messages to the host, and deletes those older than a month.
    void flush();

private:
    std::optional<DeliveryEndpoint> find(std::string_view endpointId) const;
    void note(const DeliveryAttempt& attempt) const;
    std::string opened(const Webhook& endpoint) const;
    Core& _core;
};

} // namespace portico::identity
