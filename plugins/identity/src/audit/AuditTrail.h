#pragma once

#include "common/Ids.h"

#include "portico/Database.h"
#include "portico/Schema.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace portico::identity
{

struct AuditActor
{
    std::string type;
    std::string id;
    std::string ip;
    std::string userAgent;
    std::optional<std::string> impersonatorId;
};

constexpr auto schemaOf(const AuditActor*)
{
    return describe(members<&AuditActor::type, &AuditActor::id, &AuditActor::ip, &AuditActor::userAgent, &AuditActor::impersonatorId>());
}

/// Entry of the audit log in answers.
struct AuditEvent
{
    AuditEventId id;
    /// Place in the chain of the installation.
    std::int64_t sequence = 0;
    Instant at{};
    std::string type;
    AuditActor actor;
    std::string target;
    std::optional<OrganizationId> organizationId;
    std::string serviceId;
    std::string outcome;
    Json details;
    std::string prevHash;
    std::string hash;
};

constexpr auto schemaOf(const AuditEvent*)
{
    return describe(members<&AuditEvent::id, &AuditEvent::sequence, &AuditEvent::at, &AuditEvent::type, &AuditEvent::actor,
                            &AuditEvent::target, &AuditEvent::organizationId>(),
                    field<&AuditEvent::serviceId>("service_id"),
                    members<&AuditEvent::outcome, &AuditEvent::details, &AuditEvent::prevHash, &AuditEvent::hash>());
}

struct AuditFilter
{
    std::string actor;
    std::string target;
    std::vector<std::string> type;
    std::optional<Instant> from;
    std::optional<Instant> to;
    /// Operators only; theirs is the whole trail without it.
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const AuditFilter*)
{
    return describe(field<&AuditFilter::actor>().maxLength(80), field<&AuditFilter::target>().maxLength(200),
                    field<&AuditFilter::type>().maxItems(50),
                    members<&AuditFilter::from, &AuditFilter::to, &AuditFilter::organizationId>());
}

/// The entries of one organization, or of the installation where the filter names none, that fit a filter.
class AuditTrail
{
public:
    explicit AuditTrail(AuditFilter filter) : _filter(std::move(filter)) {}

    /// The newest below a place of the chain.
    std::vector<AuditEvent> newestBelow(Session& session, std::optional<std::int64_t> sequence, int most) const;
    /// The oldest above one place, up to another.
    std::vector<AuditEvent> oldestAbove(Session& session, std::int64_t sequence, std::int64_t last, int most) const;
    std::int64_t count(Session& session) const;

private:
    AuditFilter _filter;
};

/// Result of verifying the hash chain. For an organization, the links of the whole chain are checked, so that removed or moved entries are
/// found, and the contents of its entries.
struct AuditVerification
{
    bool ok = true;
    /// Number of checked links.
    std::int64_t entries = 0;
    /// Contents that were checked.
    std::int64_t ownEntries = 0;
    /// Sequence number of the first invalid link or content.
    std::optional<std::int64_t> firstBroken;
    std::string head;
};

constexpr auto schemaOf(const AuditVerification*)
{
    return describe(members<&AuditVerification::ok, &AuditVerification::entries, &AuditVerification::ownEntries,
                            &AuditVerification::firstBroken, &AuditVerification::head>());
}

/// End of the verified part of the chain, and the number of entries by organization.
struct SoundChain
{
    std::int64_t sequence = 0;
    std::string hash;
    std::map<std::string, std::int64_t, std::less<>> entriesOf;
};

namespace audit
{
/// Verifies the whole chain.
/// @param snapshot consistent snapshot
/// @param organization empty: contents of all organizations
/// @param found receives the verified part
AuditVerification verify(Session& snapshot, const std::optional<OrganizationId>& organization, SoundChain& found);
/// Verifies the chain after the verified part. Of the earlier entries, checks those of the organization: their number and contents. If that
/// fails, verifies everything.
AuditVerification verifyOwn(Session& snapshot, const OrganizationId& organization, SoundChain& found);
} // namespace audit

} // namespace portico::identity
