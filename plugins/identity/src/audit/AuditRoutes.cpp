#include "audit/AuditRoutes.h"

#include "portico/Json.h"
#include "portico/Response.h"
#include "portico/Select.h"

#include <charconv>

namespace portico::identity
{

namespace
{

/// Operators, with a token: a key acts in its own context alone.
bool readsAll(const Caller& caller) { return caller.platformBypass && caller.credential != CredentialKind::ApiKey; }

/// Returns the organization whose entries the caller may see; for an operator the requested one.
std::optional<OrganizationId> partOf(const Caller& caller, const std::optional<OrganizationId>& wanted)
{
    if (readsAll(caller)) return wanted;
    const auto own = OrganizationId::parse(caller.organizationId);
    if (!own) throw Problem::forbidden();
    if (wanted && wanted != own) throw Problem::notFound();
    return own;
}

AuditTrail trailOf(const Caller& caller, const AuditFilter& filter)
{
    AuditFilter own = filter;
    own.organizationId = partOf(caller, filter.organizationId);
    return AuditTrail(std::move(own));
}

std::int64_t sequenceOf(const std::string& cursor)
{
    std::int64_t sequence = 0;
    std::from_chars(cursor.data(), cursor.data() + cursor.size(), sequence);
    return sequence;
}

/// Reads the audit log in batches, each in a new session, so that a slow client holds no connection.
class AuditExport final : public BodySource
{
public:
    AuditExport(Database& database, AuditTrail trail) : _database(database), _trail(std::move(trail))
    {
        _last = database.session().value<std::int64_t>("SELECT sequence FROM audit_chain WHERE id = 1").value_or(0);
    }

    bool read(std::string& out, std::size_t wanted) override
    {
        const auto before = out.size();
        while (out.size() - before < wanted)
        {
            auto session = _database.session();
            const auto events = _trail.oldestAbove(session, _after, _last, pieceSize);
            for (const auto& event : events) out += toJson(event) + '\n';
            if (events.size() < pieceSize) return false;
            _after = events.back().sequence;
        }
        return true;
    }

private:
    static constexpr int pieceSize = 200;
    Database& _database;
    AuditTrail _trail;
    std::int64_t _after = 0;
    std::int64_t _last = 0;
};

} // namespace

void AuditRoutes::declare(Routes& routes)
{
    const auto reading = access::bearerOrKey("identity.audit:read", "audit.read");
    routes.get("/api/audit-events", reading, &AuditRoutes::list, this, {.summary = "List audit entries"})
        .get("/api/audit-events/export", reading, &AuditRoutes::exportAll, this,
             {.summary = "Export audit entries as lines of JSON", .produces = {"application/x-ndjson"}})
        .get("/api/audit-events/verify", reading, &AuditRoutes::verify, this,
             {.summary = "Verify the audit trail", .execution = Execution::Long});
}

Page<AuditEvent> AuditRoutes::list(const Caller& caller, const Query<AuditFilter>& filter, const Paging& paging) const
{
    const auto trail = trailOf(caller, *filter);
    auto session = _core.database.session();
    const auto below = paging.cursor.empty() ? std::nullopt : std::optional(sequenceOf(paging.cursor));
    auto page = pageOf(trail.newestBelow(session, below, paging.limit + 1), paging, &AuditEvent::sequence);
    if (paging.includeTotal) page.total = trail.count(session);
    return page;
}

Stream AuditRoutes::exportAll(const Caller& caller, const Query<AuditFilter>& filter) const
{
    return {"application/x-ndjson", std::make_unique<AuditExport>(_core.database, trailOf(caller, *filter)),
            attachmentDisposition("audit-events.ndjson")};
}

AuditVerification AuditRoutes::verify(const Caller& caller, const Query<VerifyQuery>& query) const
{
    const auto organization = partOf(caller, query->organizationId);
    if (!readsAll(caller)) _verifications.require(caller.organizationId);
    // Allows one verification at a time. Waiting requests hold no snapshot.
    const std::scoped_lock lock(_walking);
    auto snapshot = _core.database.snapshot();
    if (readsAll(caller)) return audit::verify(snapshot, organization, _found);
    return audit::verifyOwn(snapshot, *organization, _found);
}

} // namespace portico::identity
