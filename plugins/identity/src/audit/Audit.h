#pragma once

#include "common/Client.h"
#include "common/Crypto.h"

#include "portico/Database.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::identity
{

/// Something that someone may have to answer for later.
struct AuditEntry
{
    /// `session.created`, `api_key.revoked`, …
    std::string type;
    /// `user`, `api_key`, `operator` or `anonymous`.
    std::string actorType;
    std::string actorId;
    Client client;
    /// Id of the record that it was done to.
    std::string target;
    std::optional<std::string> organizationId;
    std::string serviceId;
    /// `success` or `refused`.
    std::string outcome = "success";
    /// JSON text of an object.
    std::string details = "{}";
};

/// The audit trail: an entry is written in the transaction of the change that it tells of, and chained to the one before by hash, so that a
/// changed, removed or inserted row shows. Thread-safe.
class Audit
{
public:
    void record(Transaction& transaction, const AuditEntry& entry, Instant now) const;
    /// Sequence number of the first entry whose hash does not hold; empty for a sound chain.
    std::optional<std::int64_t> firstBroken(Session& session) const;

private:
    Sha256 _sha256;
};

} // namespace portico::identity
