#pragma once

#include "common/AuditEntry.h"
#include "common/Ids.h"
#include "common/Names.h"

#include "portico/Events.h"
#include "portico/Table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::identity
{

using WebhookId = Id<"whk">;
using WebhookMessageId = Id<"evt">;

enum class WebhookStatus : std::uint8_t
{
    Active,
    Disabled
};

constexpr auto schemaOf(const WebhookStatus*)
{
    using enum WebhookStatus;
    return portico::choices<WebhookStatus>({{"active", Active}, {"disabled", Disabled}});
}

/// Endpoint of an organization, with the event types that it receives.
struct Webhook : Versioned
{
    WebhookId id;
    std::string url;
    std::string description;
    /// Event types of identity (`membership.changed`) or of another service (`crm.contact.created`).
    std::vector<std::string> types;
    WebhookStatus status = WebhookStatus::Active;
    /// Sealed.
    std::string secret;

    bool wants(std::string_view event) const;
};

constexpr auto schemaOf(const Webhook*)
{
    return describe(field<&Webhook::id>().readOnly(), field<&Webhook::url>().required().uri().maxLength(2000),
                    named(field<&Webhook::description>().trimmed().maxLength(200)),
                    field<&Webhook::types>().required().minItems(1).maxItems(50), field<&Webhook::status>(),
                    field<&Webhook::secret>().columnOnly(), versioned<Webhook>())
        .named("WebhookEndpoint");
}

inline constexpr Table webhookTable{"webhook_endpoints", &Webhook::id};

/// A message of identity to one endpoint.
struct WebhookMessage
{
    WebhookMessageId id;
    std::string endpointId;
    std::string type;
    Json data;
    Instant createdAt{};
    /// Time at which the host has taken over the delivery. It tries up to eight times within a day.
    std::optional<Instant> sentAt = {};
    /// Attempts that the host has reported.
    std::int64_t attempts = 0;
    std::optional<Instant> triedAt = {};
    std::optional<Instant> deliveredAt = {};
    std::optional<Instant> droppedAt = {};
    /// Status of the last answer; 0: none.
    std::int64_t lastStatus = 0;
    std::optional<std::string> lastError = {};
};

constexpr auto schemaOf(const WebhookMessage*)
{
    return describe(
        members<&WebhookMessage::id, &WebhookMessage::endpointId, &WebhookMessage::type, &WebhookMessage::data, &WebhookMessage::createdAt,
                &WebhookMessage::sentAt, &WebhookMessage::attempts, &WebhookMessage::triedAt, &WebhookMessage::deliveredAt,
                &WebhookMessage::droppedAt, &WebhookMessage::lastStatus, &WebhookMessage::lastError>());
}

inline constexpr Table webhookMessageTable{"webhook_deliveries", &WebhookMessage::id};

namespace webhooks
{
/// Returns identity's event types.
std::span<const std::string_view> ownTypes() noexcept;
bool isOwn(std::string_view event) noexcept;
/// Enqueues messages about an audit entry to every subscribed endpoint, in the transaction of the change.
void note(Transaction& transaction, const AuditEntry& entry, Instant now);
/// Publishes a batch of new audit entries as `identity.<event>`, in order and each once. @return true if there may be more
bool publish(Transaction& transaction, Events& events);

/// An event for other services, which endpoints of organizations do not receive.
struct PluginEvent
{
    /// Type without the service, for example `handoff.exchanged`.
    std::string_view type;
    /// Record that it is about.
    std::string id;
    std::string organizationId = {};
    std::string actorType = "operator";
    std::string actorId = {};
    /// JSON text of an object.
    std::string details = "{}";
};
/// Writes it in the transaction of the change.
void publish(Transaction& transaction, Events& events, const PluginEvent& event);
/// One message to one endpoint.
WebhookMessage write(Transaction& transaction, Tenant organization, const WebhookId& endpoint, std::string_view event, std::string data,
                     Instant now);
/// Forgets the endpoints of organizations that were deleted longer ago than messages are tried.
void sweep(Transaction& transaction, Instant now);
} // namespace webhooks

} // namespace portico::identity
