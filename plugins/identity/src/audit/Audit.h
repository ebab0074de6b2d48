#pragma once

#include "common/AuditEntry.h"
#include "common/Requests.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// The audit trail: an entry is written in the transaction of the change that it tells of, and chained to the one before by hash, so that a
/// changed, removed or inserted row shows. What an organization's webhooks want to know of it is written with it. Thread-safe.
namespace audit
{
void record(Transaction& transaction, const Client& client, Instant now, const AuditEntry& entry);
/// The same of what a caller does: actor and service are those of the request, and its organization where the entry names none.
void recordCall(Transaction& transaction, const Request& request, Instant now, AuditEntry entry);
/// Sequence number of the first entry whose hash does not hold; empty for a sound chain.
std::optional<std::int64_t> firstBroken(Session& session);
} // namespace audit

} // namespace portico::identity
