#include "webhooks/WebhookRoutes.h"

#include "audit/Audit.h"
#include "catalog/CatalogStore.h"

#include "catalog/ServiceAccess.h"
#include "records/Organization.h"

#include "portico/Crypto.h"

#include <algorithm>

namespace portico::identity
{

namespace
{

constexpr std::int64_t maxEndpoints = 20;
/// 24 bytes are 32 characters of base64 without padding.
constexpr std::size_t secretBytes = 24;

/// Returns a secret in the form of Standard Webhooks, with the standard base64 alphabet.
std::string newSecret()
{
    auto text = toBase64Url(randomBytes(secretBytes));
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    return "whsec_" + text;
}

std::string_view deliveryState(const WebhookMessage& message, const std::optional<DeliveryStatus>& endpoint)
{
    if (message.deliveredAt) return "delivered";
    if (message.droppedAt) return "dropped";
    if (!message.sentAt) return "queued";
    if (!endpoint || endpoint->waiting > 0) return message.attempts > 0 ? "failing" : "pending";
    // It came to an end of which the host could not tell.
    const bool arrives = endpoint->state == DeliveryStatus::State::Working && endpoint->succeededAt;
    return arrives && *endpoint->succeededAt >= message.createdAt ? "delivered" : "dropped";
}

WebhookDelivery deliveryOf(const WebhookMessage& message, const std::optional<DeliveryStatus>& endpoint)
{
    return {message.id,         message.type,      std::string(deliveryState(message, endpoint)),
            message.data,       message.createdAt, message.sentAt,
            message.attempts,   message.triedAt,   message.deliveredAt,
            message.lastStatus, message.lastError};
}

} // namespace

void WebhookRoutes::declare(Routes& routes)
{
    const auto managing = access::bearer("identity.webhooks:manage");
    const std::string_view all = "/api/webhook-endpoints", one = "/api/webhook-endpoints/{id}";
    routes.get(all, managing, &WebhookRoutes::list, this, {.summary = "List the organization's webhook endpoints"})
        .post(all, managing.inPerson(), &WebhookRoutes::create, this,
              {.summary = "Create a webhook endpoint and its signing secret", .problems = {"409 conflict"}})
        .patch(one, managing.inPerson(), &WebhookRoutes::update, this, {.summary = "Update or re-enable a webhook endpoint"})
        .del(one, managing.inPerson(), &WebhookRoutes::remove, this, {.summary = "Delete a webhook endpoint"})
        .post("/api/webhook-endpoints/{id}/test", managing.inPerson(), &WebhookRoutes::test, this,
              {.summary = "Send a test message to a webhook endpoint", .problems = {"409 conflict"}, .statuses = {202}})
        .get("/api/webhook-endpoints/{id}/deliveries", managing, &WebhookRoutes::deliveries, this,
             {.summary = "List the deliveries to a webhook endpoint"});
}

/// Checks the address without resolving names; the host checks those when it sends.
void WebhookRoutes::checkAddress(const std::string& url, std::vector<FieldError>& faults) const
{
    try
    {
        _core.context.http().requireAllowed(url);
    }
    catch (const HttpFailure& refused)
    {
        faults.push_back({"url", refused.code(), refused.detail()});
    }
}

/// @throws Problem 400 `validation_failed`
void WebhookRoutes::check(Session& session, const Catalog& catalog, Tenant organization, const Webhook& endpoint) const
{
    std::vector<FieldError> faults;
    if (!endpoint.url.starts_with("https://") && !_core.context.host().plainHttp)
        faults.push_back({"url", "not_https", "Messages are sent by https only."});
    else if (endpoint.status == WebhookStatus::Active)
        checkAddress(endpoint.url, faults);
    for (std::size_t i = 0; i < endpoint.types.size(); ++i)
    {
        const auto& type = endpoint.types[i];
        const auto* service = catalog.find(std::string_view(type).substr(0, type.find('.')));
        const bool declared =
            service && std::ranges::find(service->view->webhookEvents, type) != service->view->webhookEvents.end() &&
            service_access::has(session, OrganizationId::parse(organization.text()).value_or(OrganizationId()), service->serviceId);
        if (!webhooks::isOwn(type) && !declared)
            faults.push_back({"types[" + std::to_string(i) + ']', "unknown_type", "No service sends this event type."});
    }
    if (!faults.empty()) throw Problem::invalid(std::move(faults));
}

bool WebhookRoutes::isGivenUp(Session& session, const WebhookId& id) const
{
    const auto status = _core.context.deliveries().status(session, id.text());
    return status && status->state == DeliveryStatus::State::Disabled;
}

Page<Webhook> WebhookRoutes::list(const Caller& caller, const Paging& paging) const
{
    auto session = _core.database.session();
    auto page = webhookTable.select(caller.tenant()).orderBy(&Webhook::createdAt).page(session, paging);
    for (auto& endpoint : page.items)
        if (isGivenUp(session, endpoint.id)) endpoint.status = WebhookStatus::Disabled;
    return page;
}

Created<NewWebhook> WebhookRoutes::create(const Caller& caller, const Request& request, const Body<Webhook>& input)
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    const auto secret = newSecret();
    auto made = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto tenant = caller.tenant();
            check(transaction, *catalog, tenant, *input);
            if (webhookTable.count(transaction, tenant) >= maxEndpoints)
                throw Problem::conflict("conflict", "An organization has up to 20 endpoints.");
            auto endpoint = webhookTable.stamped(*input, {now, {}});
            endpoint.secret = _sender.sealed(endpoint.id, secret);
            webhookTable.insert(transaction, tenant, endpoint);
            AuditLog::of(request, now)
                .record(transaction, "webhook.created", endpoint.id, {{"url", endpoint.url}, {"types", endpoint.types}});
            return endpoint;
        });
    auto location = "/api/webhook-endpoints/" + made.id.text();
    return {{std::move(made), secret}, std::move(location)};
}

Webhook WebhookRoutes::update(const Caller& caller, const Request& request, const Path<WebhookId>& id, const Body<Patch<Webhook>>& patch,
                              const IfMatch& match)
{
    const auto catalog = _core.catalog.snapshot();
    const auto now = _core.clock.now();
    return _core.database.transact(
        [&](Transaction& transaction)
        {
            Webhook endpoint = webhookTable.change(transaction, caller.tenant(), *id, match, {now, {}},
                                                   [&](Webhook& edited)
                                                   {
                                                       patch->applyTo(edited);
                                                       check(transaction, *catalog, caller.tenant(), edited);
                                                   });
            // Also of one that the host has given up.
            if (endpoint.status == WebhookStatus::Active)
                if (_core.context.deliveries().enable(transaction, id->text())) WebhookSender::drop(transaction, caller.tenant(), *id, now);
            AuditLog::of(request, now)
                .record(transaction, "webhook.updated", endpoint.id, {{"url", endpoint.url}, {"types", endpoint.types}});
            return endpoint;
        });
}

NoContent WebhookRoutes::remove(const Caller& caller, const Request& request, const Path<WebhookId>& id, const IfMatch& match)
{
    _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto tenant = caller.tenant();
            const auto endpoint = webhookTable.remove(transaction, tenant, *id, match);
            webhookMessageTable.select(tenant).where(&WebhookMessage::endpointId, id->text()).remove(transaction);
            _core.context.deliveries().forget(transaction, id->text());
            AuditLog::of(request, _core.clock.now())
                .record(transaction, "webhook.removed", endpoint.id, {{"url", endpoint.url}, {"types", endpoint.types}});
        });
    return {};
}

Reply<WebhookDelivery> WebhookRoutes::test(const Caller& caller, const Path<WebhookId>& id)
{
    auto delivery = _core.database.transact(
        [&](Transaction& transaction)
        {
            const auto tenant = caller.tenant();
            const auto endpoint = webhookTable.require(transaction, tenant, *id);
            if (endpoint.status != WebhookStatus::Active || isGivenUp(transaction, *id))
                throw Problem::conflict("conflict", "The endpoint is disabled.");
            const auto message = webhooks::write(transaction, tenant, *id, "webhook.test", R"({"test":true})", _core.clock.now());
            return deliveryOf(message, std::nullopt);
        });
    _sender.flush();
    return {.record = std::move(delivery), .status = 202};
}

Page<WebhookDelivery> WebhookRoutes::deliveries(const Caller& caller, const Path<WebhookId>& id, const Paging& paging) const
{
    auto session = _core.database.snapshot();
    webhookTable.require(session, caller.tenant(), *id);
    const auto status = _core.context.deliveries().status(session, id->text());
    auto messages = webhookMessageTable.select(caller.tenant())
                        .where(&WebhookMessage::endpointId, id->text())
                        .orderBy(descending(&WebhookMessage::createdAt))
                        .page(session, paging);
    Page<WebhookDelivery> page{.nextCursor = messages.nextCursor, .total = messages.total};
    for (const auto& message : messages.items) page.items.push_back(deliveryOf(message, status));
    return page;
}

} // namespace portico::identity
