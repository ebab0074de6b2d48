#include "outbox/WebhookStore.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace portico::identity
{

bool Webhook::wants(std::string_view event) const { return std::ranges::find(types, event) != types.end(); }

namespace webhooks
{

namespace
{

/// Mapping of a type in the audit log to a webhook event. A type that ends with a dot matches all types with that prefix. The first match
/// applies.
struct Telling
{
    std::string_view recorded;
    std::string_view event;
};
constexpr std::array tellings = std::to_array<Telling>({{"user.created", "user.created"},
                                                        {"user.registered", "user.created"},
                                                        {"user.updated", "user.updated"},
                                                        {"user.verified", "user.updated"},
                                                        {"user.email_changed", "user.updated"},
                                                        {"user.email_reverted", "user.updated"},
                                                        {"user.security_changed", "user.updated"},
                                                        {"user.deletion_planned", "user.updated"},
                                                        {"user.deletion_cancelled", "user.updated"},
                                                        {"user.deleted", "user.deleted"},
                                                        {"session.ended", "session.ended"},
                                                        {"membership.", "membership.changed"},
                                                        {"invitation.accepted", "membership.changed"},
                                                        {"agent.", "membership.changed"},
                                                        {"user.joined", "membership.changed"},
                                                        {"organization.", "organization.updated"},
                                                        {"service.status_changed", "service.status_changed"},
                                                        {"api_key.created", "api_key.created"},
                                                        {"api_key.rotated", "api_key.created"},
                                                        {"api_key.revoked", "api_key.revoked"},
                                                        {"developer.", "developer.status_changed"},
                                                        {"api_key.scopes_removed", "api_key.scopes_removed"},
                                                        {"api_key.leaked", "api_key.leaked"},
                                                        {"workspace.suspended", "workspace.suspended"},
                                                        {"workspace.", "organization.updated"},
                                                        {"household.", "household.changed"},
                                                        {"role_bundle.", "role_bundle.changed"},
                                                        {"webhook.test", "webhook.test"}});

/// Events for other services only.
constexpr std::array pluginTellings = std::to_array<Telling>({{"user.recovery_email_set", "user.recovery_email_set"},
                                                              {"user.recovery_email_verified", "user.recovery_email_verified"},
                                                              {"user.recovery_email_removed", "user.recovery_email_removed"},
                                                              {"mfa.totp_activated", "user.factors_changed"},
                                                              {"mfa.factor_removed", "user.factors_changed"},
                                                              {"passkey.registered", "user.factors_changed"},
                                                              {"passkey.removed", "user.factors_changed"},
                                                              {"app.submitted", "app.review_pending"},
                                                              {"app.status_changed", "app.status_changed"},
                                                              {"service.incomplete", "service.incomplete"},
                                                              {"service.completed", "service.completed"}});

constexpr bool isFirst(std::size_t index)
{
    for (std::size_t i = 0; i < index; ++i)
        if (tellings[i].event == tellings[index].event) return false;
    return true;
}

constexpr std::size_t countEvents()
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < tellings.size(); ++i) count += isFirst(i) ? 1 : 0;
    return count;
}

/// The events, each once.
constexpr auto own = []
{
    std::array<std::string_view, countEvents()> events;
    std::size_t count = 0;
    for (std::size_t i = 0; i < tellings.size(); ++i)
        if (isFirst(i)) events[count++] = tellings[i].event;
    return events;
}();

/// Returns the event for a type; empty if it is not published.
std::string_view typeOf(std::string_view audited) noexcept
{
    for (const auto& [recorded, event] : tellings)
        if (recorded.ends_with('.') ? audited.starts_with(recorded) : audited == recorded) return event;
    return {};
}

/// Event for other services; empty if there is none.
std::string_view pluginTypeOf(std::string_view audited) noexcept
{
    const auto event = typeOf(audited);
    const auto found = std::ranges::find(pluginTellings, audited, &Telling::recorded);
    return event.empty() && found != pluginTellings.end() ? found->event : event;
}

struct EventActor
{
    std::string type;
    std::string id;
};

constexpr auto schemaOf(const EventActor*) { return describe(members<&EventActor::type, &EventActor::id>()); }

/// Data of an event: ids only. Receivers read the records with their credentials.
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
    return describe(members<&EventData::id, &EventData::organizationId, &EventData::change, &EventData::actor, &EventData::details>());
}

/// The same for other services, whichever organization it is about.
struct PluginEventData
{
    std::string id;
    std::string change;
    EventActor actor;
    Json details;
    /// The organization that operates the platform; empty if there is none.
    std::string platformOrganizationId = {};
};

constexpr auto schemaOf(const PluginEventData*)
{
    return describe(members<&PluginEventData::id, &PluginEventData::change, &PluginEventData::actor, &PluginEventData::details,
                            &PluginEventData::platformOrganizationId>());
}

/// Columns of an audit entry that events use.
struct RecordedEntry
{
    std::int64_t sequence = 0;
    std::string type;
    std::string target;
    std::string organizationId;
    std::string actorType;
    std::string actorId;
    std::string details;
};

constexpr auto schemaOf(const RecordedEntry*)
{
    return describe(members<&RecordedEntry::sequence, &RecordedEntry::type, &RecordedEntry::target, &RecordedEntry::organizationId,
                            &RecordedEntry::actorType, &RecordedEntry::actorId, &RecordedEntry::details>());
}

/// Returns the organizations that receive an event: the entry's organization, or those of the person whose account or sign-in changed. A
/// changed service concerns all organizations that have access. Household events go to operators only.
std::vector<OrganizationId> concerned(Session& session, const AuditEntry& entry)
{
    const bool ofHousehold = entry.type.starts_with("household.");
    if (ofHousehold || entry.type == "service.status_changed")
        return session.values<OrganizationId>(
            "SELECT DISTINCT e.organization_id FROM webhook_endpoints e JOIN organizations o ON o.id = e.organization_id "
            "WHERE o.kind = 'admin' OR EXISTS (SELECT 1 FROM service_access a WHERE a.organization_id = e.organization_id "
            "AND a.service_id = $1 AND a.status = 'active')",
            ofHousehold ? std::string_view() : std::string_view(entry.target));
    if (entry.organizationId) return {*entry.organizationId};
    // The actor of a session's entry may be an administrator of another organization.
    const auto person = entry.type.starts_with("session.")
                            ? session.value<std::string>("SELECT user_id FROM sessions WHERE id = $1", entry.target).value_or("")
                            : entry.target;
    if (!person.starts_with("usr_")) return {};
    return session.values<OrganizationId>("SELECT organization_id FROM memberships WHERE user_id = $1 AND status = 'active'", person);
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

bool publish(Transaction& transaction, Events& events)
{
    constexpr std::int64_t piece = 100;
    const auto told = transaction.value<std::int64_t>("SELECT sequence FROM told_events WHERE id = 1").value_or(0);
    const auto entries = transaction.all<RecordedEntry>(
        "SELECT sequence, type, target, COALESCE(organization_id, '') AS organization_id, actor_type, actor_id, details FROM audit_events "
        "WHERE sequence > $1 AND outcome = 'success' ORDER BY sequence LIMIT $2",
        told, piece);
    if (entries.empty()) return false;
    // Only one of several hosts publishes the entries.
    if (transaction.execute("UPDATE told_events SET sequence = $2 WHERE id = 1 AND sequence = $1", told, entries.back().sequence) == 0)
        return true;
    const auto platform =
        transaction.value<std::string>("SELECT id FROM organizations WHERE kind = 'admin' ORDER BY created_at LIMIT 1").value_or("");
    for (const auto& entry : entries)
        if (const auto event = pluginTypeOf(entry.type); !event.empty())
            events.publish(transaction, "identity." + std::string(event), entry.organizationId,
                           toJson(PluginEventData{entry.target, entry.type, {entry.actorType, entry.actorId}, {entry.details}, platform}));
    return true;
}

void publish(Transaction& transaction, Events& events, const PluginEvent& event)
{
    events.publish(transaction, "identity." + std::string(event.type), event.organizationId,
                   toJson(PluginEventData{event.id, std::string(event.type), {event.actorType, event.actorId}, {event.details}}));
}

WebhookMessage write(Transaction& transaction, Tenant organization, const WebhookId& endpoint, std::string_view event, std::string data,
                     Instant now)
{
    WebhookMessage message{WebhookMessageId::make(now), endpoint.text(), std::string(event), {std::move(data)}, now};
    webhookMessageTable.insert(transaction, organization, message);
    return message;
}

void sweep(Transaction& transaction, Instant now)
{
    // The slug of a deleted organization is its id.
    transaction.execute("DELETE FROM webhook_endpoints WHERE EXISTS (SELECT 1 FROM organizations o WHERE o.id = "
                        "webhook_endpoints.organization_id AND o.slug = o.id AND o.updated_at < $1)",
                        now - std::chrono::hours(48));
}

} // namespace webhooks

} // namespace portico::identity
