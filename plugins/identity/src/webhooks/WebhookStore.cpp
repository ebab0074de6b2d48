#include "webhooks/WebhookStore.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portico::identity
{

bool Webhook::wants(std::string_view event) const { return std::ranges::find(types, event) != types.end(); }

namespace webhooks
{

namespace
{

constexpr std::array<std::string_view, 14> own = {"user.created",           "user.updated",        "user.deleted",
                                                  "session.ended",          "membership.changed",  "organization.updated",
                                                  "api_key.created",        "api_key.revoked",     "developer.status_changed",
                                                  "service.status_changed", "workspace.suspended", "role_bundle.changed",
                                                  "household.changed",      "webhook.test"};

using Rename = std::pair<std::string_view, std::string_view>;
/// What the audit trail calls otherwise; of a name that ends with a dot all that begin so.
constexpr std::array<Rename, 13> renamed = {{{"membership.", "membership.changed"},
                                             {"invitation.accepted", "membership.changed"},
                                             {"agent.created", "membership.changed"},
                                             {"user.joined", "membership.changed"},
                                             {"session.revoked", "session.ended"},
                                             {"session.refresh_reuse_detected", "session.ended"},
                                             {"organization.ownership_transferred", "organization.updated"},
                                             {"organization.deletion_planned", "organization.updated"},
                                             {"role_bundle.reset", "role_bundle.changed"},
                                             {"api_key.rotated", "api_key.created"},
                                             {"household.", "household.changed"},
                                             {"workspace.", "workspace.suspended"},
                                             {"developer.", "developer.status_changed"}}};

/// Empty for what nobody outside is told.
std::string_view typeOf(std::string_view audited) noexcept
{
    if (isOwn(audited)) return audited;
    for (const auto& [name, event] : renamed)
        if (name.ends_with('.') ? audited.starts_with(name) : audited == name) return event;
    return {};
}

struct EventActor
{
    std::string type;
    std::string id;
};

constexpr auto schemaOf(const EventActor*) { return describe(field("type", &EventActor::type), field("id", &EventActor::id)); }

/// What receivers are told: ids, not the records, which they read with their own rights.
struct EventData
{
    std::string id;
    OrganizationId organizationId;
    std::string change;
    EventActor actor;
    Json details;
};

constexpr auto schemaOf(const EventData*)
{
    return describe(field("id", &EventData::id), field("organizationId", &EventData::organizationId), field("change", &EventData::change),
                    field("actor", &EventData::actor), field("details", &EventData::details));
}

/// Whose affair it is: the entry's organization, or those that the person belongs to.
std::vector<OrganizationId> concerned(Session& session, const AuditEntry& entry)
{
    if (entry.organizationId) return {*entry.organizationId};
    if (!entry.target.starts_with("usr_")) return {};
    return session.values<OrganizationId>("SELECT organization_id FROM memberships WHERE user_id = $1 AND status = 'active'", entry.target);
}

} // namespace

std::span<const std::string_view> ownTypes() noexcept { return own; }

bool isOwn(std::string_view event) noexcept { return std::ranges::find(own, event) != own.end(); }

void note(Transaction& transaction, const AuditEntry& entry, Instant now)
{
    const auto event = typeOf(entry.type);
    if (event.empty() || entry.outcome != "success") return;
    for (const auto& organization : concerned(transaction, entry))
        for (const auto& endpoint : webhookTable.select(organization).where(&Webhook::status, WebhookStatus::Active).all(transaction))
            if (endpoint.wants(event))
                write(transaction, organization, endpoint.id, event,
                      toJson(EventData{entry.target, organization, entry.type, {entry.actorType, entry.actorId}, {entry.details}}), now);
}

WebhookMessage write(Transaction& transaction, Tenant organization, const WebhookId& endpoint, std::string_view event, std::string data,
                     Instant now)
{
    WebhookMessage message{WebhookMessageId::make(now), endpoint.text(), std::string(event), {std::move(data)}, now, std::nullopt};
    webhookMessageTable.insert(transaction, organization, message);
    return message;
}

} // namespace webhooks

} // namespace portico::identity
