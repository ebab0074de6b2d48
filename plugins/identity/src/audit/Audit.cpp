#include "audit/Audit.h"

#include "audit/AuditTrail.h"
#include "common/Networks.h"
#include "outbox/WebhookStore.h"

#include "portico/Crypto.h"
#include "portico/Json.h"

#include <utility>

namespace portico::identity
{

namespace
{

/// Returns the input of an entry's hash: every column, encoded unambiguously. The impersonator is only included if there is one.
std::string canonical(std::string_view previous, std::int64_t sequence, std::int64_t at, std::initializer_list<std::string_view> texts,
                      std::string_view impersonator)
{
    std::string out = "[";
    appendJsonString(out, previous);
    out += ',' + std::to_string(sequence) + ',' + std::to_string(at);
    for (const auto text : texts)
    {
        out += ',';
        appendJsonString(out, text);
    }
    if (!impersonator.empty())
    {
        out += ',';
        appendJsonString(out, impersonator);
    }
    return out + ']';
}

struct Link
{
    std::int64_t sequence = 0;
    std::string previous;
};

/// The raised number locks the chain until the transaction ends, so that entries get their places one after the other.
Link takePlace(Transaction& transaction)
{
    transaction.execute("UPDATE audit_chain SET sequence = sequence + 1 WHERE id = 1");
    auto rows = transaction.query("SELECT sequence, hash FROM audit_chain WHERE id = 1");
    const auto row = rows.next();
    return {row->get<std::int64_t>(0), row->get<std::string>(1)};
}

} // namespace

AuditDetails::AuditDetails(std::initializer_list<Member> members) : _json("{")
{
    for (const auto& member : members)
    {
        if (_json.size() > 1) _json += ',';
        appendJsonString(_json, member.name);
        _json += ':' + member.json;
    }
    _json += '}';
}

AuditLog::AuditLog(const Client& client, Instant now, std::string_view actorType, std::string_view actorId, std::string_view serviceId,
                   const Organization& organization)
    : _client(client),
      _now(now),
      _common{.type = {},
              .actorType = std::string(actorType),
              .actorId = std::string(actorId),
              .serviceId = std::string(serviceId),
              .organizationId = organization}
{
}

AuditLog AuditLog::of(const Request& request, Instant now, const Organization& organization)
{
    return personal(request, now, organization ? organization : OrganizationId::parse(request.caller->organizationId));
}

AuditLog AuditLog::personal(const Request& request, Instant now, const Organization& organization)
{
    const Caller& caller = *request.caller;
    const bool byKey = caller.credential == CredentialKind::ApiKey;
    const std::string_view type = caller.anonymous() ? "anonymous" : byKey ? "api_key" : std::string_view(caller.principalType);
    return {Client::of(request), now, type, byKey ? caller.apiKeyId : caller.principalId, caller.serviceId, organization};
}

AuditLog AuditLog::ofUser(const Client& client, AuditSubject user, Instant now, std::string_view serviceId)
{
    return {client, now, "user", user.text, serviceId};
}

AuditLog AuditLog::anonymous(const Client& client, Instant now, std::string_view serviceId)
{
    return {client, now, "anonymous", "", serviceId};
}

AuditLog AuditLog::ofOperator(Instant now, const Organization& organization)
{
    return {{}, now, "operator", "", identityServiceId, organization};
}

AuditLog AuditLog::in(const Organization& organization) const
{
    auto log = *this;
    log._common.organizationId = organization;
    return log;
}

void AuditLog::record(Transaction& transaction, EventName event, AuditSubject subject, const AuditDetails& details) const
{
    write(transaction, _common, event, subject, details);
}

void AuditLog::refused(Transaction& transaction, EventName event, AuditSubject subject, const AuditDetails& details) const
{
    auto entry = _common;
    entry.outcome = "refused";
    write(transaction, std::move(entry), event, subject, details);
}

void AuditLog::write(Transaction& transaction, AuditEntry entry, EventName event, AuditSubject subject, const AuditDetails& details) const
{
    entry.type = event.text();
    entry.target = subject.text;
    entry.details = details.json();
    const auto link = takePlace(transaction);
    const auto id = AuditEventId::make(_now);
    const auto ip = networkPrefix(_client.address);
    const auto hash = sha256(canonical(link.previous, link.sequence, toMillis(_now),
                                       {id.text(), entry.type, entry.actorType, entry.actorId, ip, _client.userAgent, entry.target,
                                        entry.organizationId ? std::string_view(entry.organizationId->text()) : "", entry.serviceId,
                                        entry.outcome, entry.details},
                                       _client.impersonatorId))
                          .hex();
    transaction.execute("INSERT INTO audit_events (id, sequence, at, type, actor_type, actor_id, ip, user_agent, target, organization_id, "
                        "service_id, outcome, details, prev_hash, hash, impersonator_id) "
                        "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)",
                        id, link.sequence, _now, entry.type, entry.actorType, entry.actorId, ip, _client.userAgent, entry.target,
                        entry.organizationId, entry.serviceId, entry.outcome, entry.details, link.previous, hash,
                        _client.impersonatorId.empty() ? std::optional<std::string_view>() : std::string_view(_client.impersonatorId));
    transaction.execute("UPDATE audit_chain SET hash = $1 WHERE id = 1", hash);
    webhooks::note(transaction, entry, _now);
}

namespace
{

/// Computes the hash of a stored entry again; its text columns are in the order of `canonical`.
std::string hashOf(const Row& row)
{
    return sha256(canonical(row.text(13), row.get<std::int64_t>(0), row.get<std::int64_t>(1),
                            {row.text(2), row.text(3), row.text(4), row.text(5), row.text(6), row.text(7), row.text(8), row.text(9),
                             row.text(10), row.text(11), row.text(12)},
                            row.text(15)))
        .hex();
}

AuditVerification broken(AuditVerification result, std::int64_t sequence)
{
    result.ok = false;
    result.firstBroken = sequence;
    return result;
}

std::string entriesWhere(std::string_view condition)
{
    return "SELECT sequence, at, id, type, actor_type, actor_id, ip, user_agent, target, COALESCE(organization_id, ''), service_id, "
           "outcome, "
           "details, prev_hash, hash, COALESCE(impersonator_id, '') FROM audit_events WHERE " +
           std::string(condition) + " ORDER BY sequence";
}

/// Verifies the chain after the part that is known to be valid, and stores the new end.
AuditVerification walkOn(Session& snapshot, const std::optional<OrganizationId>& organization, SoundChain& found, std::int64_t ownBefore)
{
    AuditVerification result{.entries = found.sequence, .ownEntries = ownBefore, .firstBroken = {}, .head = found.hash};
    auto entriesOf = found.entriesOf;
    for (Row row : snapshot.query(entriesWhere("sequence > $1"), found.sequence))
    {
        const auto expected = result.entries + 1;
        if (row.get<std::int64_t>(0) != expected || row.text(13) != result.head) return broken(result, expected);
        const bool own = !organization || row.text(9) == organization->text();
        if (own && row.text(14) != hashOf(row)) return broken(result, expected);
        result.head = row.text(14);
        result.entries = expected;
        result.ownEntries += own ? 1 : 0;
        ++entriesOf[std::string(row.text(9))];
    }
    // The last ones are missed by nothing that follows them.
    auto rows = snapshot.query("SELECT sequence, hash FROM audit_chain WHERE id = 1");
    const auto end = rows.next();
    if (!end || end->get<std::int64_t>(0) != result.entries || end->text(1) != result.head) return broken(result, result.entries + 1);
    found = {result.entries, result.head, std::move(entriesOf)};
    return result;
}

/// Counts the organization's entries up to the verified end of the chain; empty if the entry there has changed.
std::optional<std::int64_t> ownUpTo(Session& snapshot, const OrganizationId& organization, const SoundChain& found)
{
    if (found.sequence == 0) return std::nullopt;
    if (snapshot.value<std::string>("SELECT hash FROM audit_events WHERE sequence = $1", found.sequence) != found.hash) return std::nullopt;
    std::int64_t count = 0;
    for (Row row : snapshot.query(entriesWhere("organization_id = $1 AND sequence <= $2"), organization, found.sequence))
    {
        if (row.text(14) != hashOf(row)) return std::nullopt;
        ++count;
    }
    const auto known = found.entriesOf.find(organization.text());
    if (count != (known == found.entriesOf.end() ? 0 : known->second)) return std::nullopt;
    return count;
}

} // namespace

AuditVerification audit::verify(Session& snapshot, const std::optional<OrganizationId>& organization, SoundChain& found)
{
    found = {};
    return walkOn(snapshot, organization, found, 0);
}

AuditVerification audit::verifyOwn(Session& snapshot, const OrganizationId& organization, SoundChain& found)
{
    const auto before = ownUpTo(snapshot, organization, found);
    if (!before) return verify(snapshot, organization, found);
    return walkOn(snapshot, organization, found, *before);
}

std::optional<std::int64_t> audit::firstBroken(Session& session)
{
    SoundChain found;
    return verify(session, std::nullopt, found).firstBroken;
}

} // namespace portico::identity
