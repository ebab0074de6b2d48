#pragma once

#include "catalog/Catalog.h"
#include "webhooks/WebhookSender.h"

#include "portico/Routes.h"

namespace portico::identity
{

/// An endpoint that was made: the only time that its secret is seen.
struct NewWebhook
{
    Webhook endpoint;
    std::string secret;
};

constexpr auto schemaOf(const NewWebhook*)
{
    return describe(members<&NewWebhook::endpoint, &NewWebhook::secret>()).named("NewWebhookEndpoint");
}

/// A message and what became of it.
struct WebhookDelivery
{
    WebhookMessageId id;
    std::string type;
    /// `queued`, `pending` until the first try, `failing` while it is tried again, `delivered`, or `dropped` where it or the endpoint was
    /// given up.
    std::string status;
    Json data;
    Instant createdAt{};
    std::optional<Instant> sentAt;
    std::int64_t attempts = 0;
    std::optional<Instant> triedAt;
    std::optional<Instant> deliveredAt;
    /// Status of the last attempt's answer; 0: none.
    std::int64_t lastStatus = 0;
    std::optional<std::string> lastError;
};

constexpr auto schemaOf(const WebhookDelivery*)
{
    return describe(members<&WebhookDelivery::id, &WebhookDelivery::type, &WebhookDelivery::status, &WebhookDelivery::data,
                            &WebhookDelivery::createdAt, &WebhookDelivery::sentAt, &WebhookDelivery::attempts, &WebhookDelivery::triedAt,
                            &WebhookDelivery::deliveredAt, &WebhookDelivery::lastStatus, &WebhookDelivery::lastError>());
}

/// Manages webhook endpoints of an organization. Thread-safe.
class WebhookRoutes
{
public:
    WebhookRoutes(Core& core, WebhookSender& sender) : _core(core), _sender(sender) {}
    void declare(Routes& routes);

    /// Lists endpoints. One that the host has given up is shown as disabled: nothing is sent until it is activated again.
    Page<Webhook> list(const Caller& caller, const Paging& paging) const;
    Created<NewWebhook> create(const Caller& caller, const Request& request, const Body<Webhook>& input);
    Webhook update(const Caller& caller, const Request& request, const Path<WebhookId>& id, const Body<Patch<Webhook>>& patch,
                   const IfMatch& match);
    NoContent remove(const Caller& caller, const Request& request, const Path<WebhookId>& id, const IfMatch& match);
    /// Sends `webhook.test`.
    Reply<WebhookDelivery> test(const Caller& caller, const Path<WebhookId>& id);
    /// The newest first.
    Page<WebhookDelivery> deliveries(const Caller& caller, const Path<WebhookId>& id, const Paging& paging) const;

private:
    bool isGivenUp(Session& session, const WebhookId& id) const;
    void checkAddress(const std::string& url, std::vector<FieldError>& faults) const;
    void check(Session& session, const Catalog& catalog, Tenant organization, const Webhook& endpoint) const;
    Core& _core;
    WebhookSender& _sender;
};

} // namespace portico::identity
