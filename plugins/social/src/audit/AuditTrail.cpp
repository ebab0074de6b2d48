#include "audit/AuditTrail.h"

#include "portico/Crypto.h"
#include "portico/Json.h"
#include "portico/Problem.h"

#include <utility>

namespace portico::social
{

namespace
{
struct HashedActor
{
    std::string id;
    ActorType type = ActorType::System;
};

constexpr auto schemaOf(const HashedActor*) { return describe(members<&HashedActor::id, &HashedActor::type>()); }

struct HashedChange
{
    std::string field;
    Json from;
    Json to;
};

constexpr auto schemaOf(const HashedChange*)
{
    return describe(portico::members<&HashedChange::field, &HashedChange::from, &HashedChange::to>());
}

/// Input of the hash. Its members are in the order of their names, as RFC 8785 requires.
struct HashedEvent
{
    HashedActor actor;
    BrandId brandId;
    std::vector<HashedChange> changes;
    std::optional<ContentId> contentId;
    Json data;
    EventId eventId;
    std::optional<IntegrationId> integrationId;
    AuditKind kind = AuditKind::ContentCreated;
    std::optional<MediaId> mediaId;
    Instant occurredAt{};
    OrganizationId organizationId;
    std::optional<PostId> postId;
    std::optional<std::string> reason;
    std::string requestId;
};

constexpr auto schemaOf(const HashedEvent*)
{
    return describe(
        members<&HashedEvent::actor, &HashedEvent::brandId, &HashedEvent::changes, &HashedEvent::contentId, &HashedEvent::data,
                &HashedEvent::eventId, &HashedEvent::integrationId, &HashedEvent::kind, &HashedEvent::mediaId, &HashedEvent::occurredAt,
                &HashedEvent::organizationId, &HashedEvent::postId, &HashedEvent::reason, &HashedEvent::requestId>());
}

std::string hashOf(const AuditEvent& event, std::string_view prevHash)
{
    HashedEvent hashed{{event.actor.id, event.actor.type},
                       event.brandId,
                       {},
                       event.contentId,
                       event.data,
                       event.eventId,
                       event.integrationId,
                       event.kind,
                       event.mediaId,
                       event.occurredAt,
                       event.organizationId,
                       event.postId,
                       event.reason,
                       event.requestId};
    for (const auto& change : event.changes) hashed.changes.push_back({change.field, change.from, change.to});
    return sha256({toJson(hashed), prevHash}).hex();
}

struct ChainEnd
{
    std::int64_t length = 0;
    std::string hash;
};

/// Reserves the next place and locks the chain. @return its length with that place, and the hash of the event before
ChainEnd takePlace(Transaction& transaction, Tenant tenant, const BrandId& brand)
{
    auto rows = transaction.query(
        "UPDATE brand_chain SET length = length + 1 WHERE organization_id = $1 AND brand_id = $2 RETURNING length, hash", tenant, brand);
    const auto row = rows.next();
    if (!row) throw Problem::notFound("There is no such brand.");
    return {row->get<std::int64_t>(0), row->get<std::string>(1)};
}
} // namespace

Doer Doer::of(const Request& request)
{
    const auto& caller = *request.caller;
    Doer doer;
    if (caller.credential == CredentialKind::ApiKey)
        doer.actor = {ActorType::ApiKey, caller.apiKeyId, caller.apiKeyName};
    else
        doer.actor = {ActorType::User, caller.principalId, caller.displayName};
    doer.requestId = request.requestId;
    return doer;
}

Doer Doer::system() { return {{ActorType::System, "", "Portico"}, {}}; }

namespace audit
{

void begin(Transaction& transaction, Tenant tenant, const BrandId& brand)
{
    transaction.execute("INSERT INTO brand_chain (organization_id, brand_id, length, hash) VALUES ($1, $2, 0, '')", tenant, brand);
}

void lock(Transaction& transaction, Tenant tenant, const BrandId& brand)
{
    Flight flight(transaction);
    if (*lock(flight, tenant, brand) == 0) throw Problem::notFound("There is no such brand.");
}

InFlight<std::int64_t> lock(Flight& flight, Tenant tenant, const BrandId& brand)
{
    return flight.execute("UPDATE brand_chain SET length = length WHERE organization_id = $1 AND brand_id = $2", tenant, brand);
}

EventId record(Transaction& transaction, Tenant tenant, const Doer& doer, const NewEvent& event, Instant now)
{
    const auto end = takePlace(transaction, tenant, event.brandId);
    AuditEvent row;
    static_cast<NewEvent&>(row) = event;
    row.eventId = EventId::make(now);
    row.organizationId = *OrganizationId::parse(tenant.text());
    row.actor = doer.actor;
    row.actorId = doer.actor.id;
    row.occurredAt = now;
    row.requestId = doer.requestId;
    row.position = end.length;
    row.prevHash = end.hash;
    row.hash = hashOf(row, row.prevHash);
    Flight flight(transaction);
    flight.insert(auditEventTable.name(), row, {"organization_id"}, tenant);
    flight.execute("UPDATE brand_chain SET hash = $3 WHERE organization_id = $1 AND brand_id = $2", tenant, event.brandId, row.hash);
    return row.eventId;
}

std::string endOf(Session& session, Tenant tenant, const BrandId& brand)
{
    return session.value<std::string>("SELECT hash FROM brand_chain WHERE organization_id = $1 AND brand_id = $2", tenant, brand)
        .value_or("");
}

ChainCheck verify(Session& snapshot, Tenant tenant, const BrandId& brand)
{
    static const auto sql =
        "SELECT " + columns<AuditEvent>() + " FROM audit_event WHERE organization_id = $1 AND brand_id = $2 ORDER BY position";
    ChainCheck check{brand, 0, true, std::nullopt};
    const auto breaksAt = [&check](std::int64_t place)
    {
        if (check.ok) check.brokenAt = place;
        check.ok = false;
    };
    std::string last;
    for (const auto& row : snapshot.query(sql, tenant, brand))
    {
        const auto event = row.as<AuditEvent>();
        ++check.events;
        if (event.position != check.events || event.prevHash != last || event.actorId != event.actor.id ||
            event.hash != hashOf(event, last))
            breaksAt(check.events);
        last = event.hash;
    }
    // Rows that are missing at the end leave a chain that is right in itself.
    auto rows = snapshot.query("SELECT length, hash FROM brand_chain WHERE organization_id = $1 AND brand_id = $2", tenant, brand);
    const auto end = rows.next();
    if (!end || end->get<std::int64_t>(0) != check.events || end->text(1) != last) breaksAt(check.events + 1);
    return check;
}

} // namespace audit

} // namespace portico::social
