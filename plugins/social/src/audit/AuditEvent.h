#pragma once

#include "common/Ids.h"

#include "portico/Table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Kind of an event (2.A.10).
enum class AuditKind : std::uint8_t
{
    ContentCreated,
    ContentEdited,
    ContentSubmitted,
    ContentApproved,
    ContentRejected,
    ContentExpired,
    ContentScheduled,
    ContentRescheduled,
    ContentRevertedToDraft,
    ContentCancelled,
    ContentDeleted,
    ContentPublishStarted,
    ContentPublishSucceeded,
    ContentPublishFailed,
    ContentPublishRetryScheduled,
    ContentRetryRequested,
    ContentOutcomeVerified,
    ContentMarkedPublished,
    SuggestionGenerated,
    SeedShared,
    SeedArchived,
    MediaUploaded,
    MediaRejected,
    MediaDeleted,
    AiImageGenerated,
    AiModelOverridden,
    IntegrationConnectStarted,
    IntegrationConnected,
    IntegrationTokenRefreshed,
    IntegrationReconnectRequired,
    IntegrationDisconnected,
    BrandCreated,
    BrandUpdated,
    BrandTransferred
};

constexpr auto schemaOf(const AuditKind*)
{
    using enum AuditKind;
    return portico::choices<AuditKind>({{"content.created", ContentCreated},
                                        {"content.edited", ContentEdited},
                                        {"content.submitted", ContentSubmitted},
                                        {"content.approved", ContentApproved},
                                        {"content.rejected", ContentRejected},
                                        {"content.expired", ContentExpired},
                                        {"content.scheduled", ContentScheduled},
                                        {"content.rescheduled", ContentRescheduled},
                                        {"content.reverted_to_draft", ContentRevertedToDraft},
                                        {"content.cancelled", ContentCancelled},
                                        {"content.deleted", ContentDeleted},
                                        {"content.publish_started", ContentPublishStarted},
                                        {"content.publish_succeeded", ContentPublishSucceeded},
                                        {"content.publish_failed", ContentPublishFailed},
                                        {"content.publish_retry_scheduled", ContentPublishRetryScheduled},
                                        {"content.retry_requested", ContentRetryRequested},
                                        {"content.outcome_verified", ContentOutcomeVerified},
                                        {"content.marked_published", ContentMarkedPublished},
                                        {"suggestion.generated", SuggestionGenerated},
                                        {"seed.shared", SeedShared},
                                        {"seed.archived", SeedArchived},
                                        {"media.uploaded", MediaUploaded},
                                        {"media.rejected", MediaRejected},
                                        {"media.deleted", MediaDeleted},
                                        {"ai.image_generated", AiImageGenerated},
                                        {"ai.model_overridden", AiModelOverridden},
                                        {"integration.connect_started", IntegrationConnectStarted},
                                        {"integration.connected", IntegrationConnected},
                                        {"integration.token_refreshed", IntegrationTokenRefreshed},
                                        {"integration.reconnect_required", IntegrationReconnectRequired},
                                        {"integration.disconnected", IntegrationDisconnected},
                                        {"brand.created", BrandCreated},
                                        {"brand.updated", BrandUpdated},
                                        {"brand.transferred", BrandTransferred}});
}

enum class ActorType : std::uint8_t
{
    User,
    ApiKey,
    System
};

constexpr auto schemaOf(const ActorType*)
{
    using enum ActorType;
    return portico::choices<ActorType>({{"user", User}, {"api_key", ApiKey}, {"system", System}});
}

/// Cause of an event.
struct Actor
{
    ActorType type = ActorType::System;
    /// A `usr_…` or `key_…` id, or empty for the system.
    std::string id;
    /// Name at the time of the event. Not part of the hash, so that a person's name can be erased.
    std::string displayName;
};

constexpr auto schemaOf(const Actor*) { return describe(members<&Actor::type, &Actor::id, &Actor::displayName>()).named("EventActor"); }

/// One member of a record before and after, as JSON values; null if it had or has no value.
struct EventChange
{
    std::string field;
    Json from;
    Json to;
};

constexpr auto schemaOf(const EventChange*)
{
    return describe(portico::members<&EventChange::field, &EventChange::from, &EventChange::to>());
}

/// The part of an event that its writer states; `audit::record` adds the rest.
struct NewEvent
{
    AuditKind kind = AuditKind::ContentCreated;
    BrandId brandId;
    std::optional<ContentId> contentId = {};
    std::optional<PostId> postId = {};
    std::optional<IntegrationId> integrationId = {};
    std::optional<MediaId> mediaId = {};
    /// See `changesBetween`. Never a secret.
    std::vector<EventChange> changes = {};
    std::optional<std::string> reason = {};
    /// One JSON object.
    Json data{"{}"};
};

/// An entry of the audit trail of a brand.
struct AuditEvent : NewEvent
{
    EventId eventId;
    /// The owner of the brand when the event happened.
    OrganizationId organizationId;
    Actor actor;
    Instant occurredAt{};
    std::string requestId;
    std::string prevHash;
    std::string hash;
    /// Place in the chain, from 1.
    std::int64_t position = 0;
    std::string actorId;
};

constexpr auto schemaOf(const AuditEvent*)
{
    return describe(
        field<&AuditEvent::eventId>().column("id"), members<&AuditEvent::kind, &AuditEvent::brandId>(),
        field<&AuditEvent::organizationId>().column("occurred_in").description("The owner of the brand when the event happened"),
        members<&AuditEvent::contentId, &AuditEvent::postId, &AuditEvent::integrationId, &AuditEvent::mediaId, &AuditEvent::actor,
                &AuditEvent::occurredAt, &AuditEvent::requestId, &AuditEvent::changes, &AuditEvent::reason, &AuditEvent::data,
                &AuditEvent::prevHash>(),
        field<&AuditEvent::hash>().description(
            "SHA-256 in hexadecimal over the canonical JSON (RFC 8785) of this record without actor.displayName, "
            "prevHash and hash, followed by prevHash"),
        field<&AuditEvent::position>().columnOnly(), field<&AuditEvent::actorId>().columnOnly());
}

inline constexpr Table<AuditEvent, BrandId, EventId> auditEventTable{"audit_event", &AuditEvent::brandId, &AuditEvent::eventId};

} // namespace portico::social
