#pragma once

#include "audit/AuditEvent.h"

#include "portico/Database.h"
#include "portico/Flight.h"
#include "portico/Request.h"

#include <optional>
#include <string>
#include <vector>

namespace portico::social
{

/// Actor of a change, and its request. A value; it outlives the request.
struct Doer
{
    Actor actor;
    /// Empty outside of a request.
    std::string requestId;

    /// The caller of a request: a person or a key.
    static Doer of(const Request& request);
    /// The service itself, in a job.
    static Doer system();
};

/// Result of a check of a whole chain.
struct ChainCheck
{
    BrandId brandId;
    /// Rows that were read.
    std::int64_t events = 0;
    bool ok = true;
    /// First position in the chain, from 1, whose row is missing, changed or moved.
    std::optional<std::int64_t> brokenAt;
};

constexpr auto schemaOf(const ChainCheck*)
{
    return describe(
        members<&ChainCheck::brandId, &ChainCheck::events, &ChainCheck::ok>(),
        field<&ChainCheck::brokenAt>().description("Position in the chain, from 1, of the first event that is missing, changed or moved"));
}

/// The chain of a brand (2.A.10): each event carries the hash of the one before. Thread-safe.
namespace audit
{
/// Begins the chain of a new brand.
void begin(Transaction& transaction, Tenant tenant, const BrandId& brand);

/// Locks the end of the brand's chain until the transaction ends, for a writer that looks at several rows of the brand before it writes.
/// @throws Problem 404 when the brand is not the tenant's, or not any more
void lock(Transaction& transaction, Tenant tenant, const BrandId& brand);
/// The same in a flight. @return 0 when the brand is not the tenant's, or not any more
InFlight<std::int64_t> lock(Flight& flight, Tenant tenant, const BrandId& brand);

/// Appends an event in the transaction of its change. Locks the end of the brand's chain until the transaction ends, so call it last; two
/// writers of one brand follow each other. It is also the check that the brand still belongs to the tenant: a transfer locks the same row.
/// @throws Problem 404 when the brand is not the tenant's, or not any more
EventId record(Transaction& transaction, Tenant tenant, const Doer& doer, const NewEvent& event, Instant now);

/// The hash of the last event: it differs after every event of the brand. Empty where the tenant has no such brand.
std::string endOf(Session& session, Tenant tenant, const BrandId& brand);

/// Recomputes the chain. The session is a snapshot.
ChainCheck verify(Session& snapshot, Tenant tenant, const BrandId& brand);
} // namespace audit

} // namespace portico::social
