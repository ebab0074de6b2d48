#include "webhooks/WebhookSender.h"

#include "tokens/KeyRing.h"

namespace portico::identity
{

namespace
{
constexpr std::string_view flushJob = "identity.webhooks";
constexpr std::chrono::seconds flushInterval{5};
constexpr auto messageLife = std::chrono::hours(24 * 30);
constexpr std::int64_t piece = 100;

std::string purposeOf(const WebhookId& id) { return "webhook:" + id.text(); }
} // namespace

void WebhookSender::start()
{
    _core.context.services().provide<interfaces::Webhooks>(*this);
    _core.context.deliveries().endpoints([this](std::string_view endpointId) { return find(endpointId); });
    _core.context.deliveries().onAttempt([this](const DeliveryAttempt& attempt) { note(attempt); });
    _core.context.jobs().handle(flushJob, [this](const Job&) { flush(); });
    _core.context.jobs().every(flushJob, flushInterval);
    _core.context.jobs().followsWrites(flushJob);
}

std::string WebhookSender::sealed(const WebhookId& id, std::string_view secret) const
{
    return _core.keys.sealer().seal(secret, purposeOf(id));
}

std::string WebhookSender::opened(const Webhook& endpoint) const
{
    return _core.keys.sealer().open(endpoint.secret, purposeOf(endpoint.id));
}

std::optional<DeliveryEndpoint> WebhookSender::find(std::string_view endpointId) const
{
    auto session = _core.database.session();
    // Looks up by id only, because ids are unguessable and the host does not know the organization.
    const auto owner = session.value<OrganizationId>("SELECT organization_id FROM webhook_endpoints WHERE id = $1", endpointId);
    const auto id = WebhookId::parse(endpointId);
    const auto endpoint = owner && id ? webhookTable.find(session, *owner, *id) : std::nullopt;
    if (!endpoint || endpoint->status != WebhookStatus::Active) return std::nullopt;
    return DeliveryEndpoint{.url = endpoint->url, .secrets = {opened(*endpoint)}};
}

void WebhookSender::note(const DeliveryAttempt& attempt) const
{
    const auto at = [&](bool happened) { return happened ? std::optional(attempt.at) : std::nullopt; };
    const auto error = attempt.error.empty() ? std::nullopt : std::optional(attempt.error);
    _core.database.transact(
        [&](Transaction& transaction)
        {
            transaction.execute("UPDATE webhook_deliveries SET attempts = $2, tried_at = $3, last_status = $4, last_error = $5, "
                                "delivered_at = $6, dropped_at = $7 WHERE id = $1 AND delivered_at IS NULL",
                                attempt.messageId, attempt.attempt, attempt.at, attempt.httpStatus, error, at(attempt.delivered),
                                at(attempt.last && !attempt.delivered));
        });
}

void WebhookSender::drop(Transaction& transaction, Tenant organization, const WebhookId& id, Instant now)
{
    webhookMessageTable.select(organization)
        .where(&WebhookMessage::endpointId, id.text())
        .where("sent_at IS NOT NULL AND delivered_at IS NULL AND dropped_at IS NULL")
        .set(transaction, &WebhookMessage::droppedAt, now);
}

std::vector<interfaces::WebhookEndpoint> WebhookSender::endpoints(Tenant organization, std::string_view eventType)
{
    if (webhooks::isOwn(eventType)) return {};
    auto session = _core.database.session();
    std::vector<interfaces::WebhookEndpoint> found;
    for (const auto& endpoint : webhookTable.select(organization).where(&Webhook::status, WebhookStatus::Active).all(session))
        if (endpoint.wants(eventType)) found.push_back({endpoint.id.text(), endpoint.url, {opened(endpoint)}});
    return found;
}

void WebhookSender::flush()
{
    while (_core.database.transact([&](Transaction& transaction) { return webhooks::publish(transaction, _core.context.events()); }))
        continue;
    for (std::size_t taken = piece; taken == piece;)
        taken = _core.database.transact(
            [&](Transaction& transaction)
            {
                const auto now = _core.clock.now();
                transaction.execute("DELETE FROM webhook_deliveries WHERE created_at < $1", now - messageLife);
                const auto waiting = transaction.all<WebhookMessage>(
                    "SELECT " + columns<WebhookMessage>() + " FROM webhook_deliveries WHERE sent_at IS NULL ORDER BY id LIMIT $1", piece);
                for (const auto& message : waiting)
                {
                    _core.context.deliveries().send(transaction, {message.endpointId, message.type, message.data.text, message.id.text()});
                    transaction.execute("UPDATE webhook_deliveries SET sent_at = $2 WHERE id = $1", message.id, now);
                }
                return waiting.size();
            });
}

} // namespace portico::identity
