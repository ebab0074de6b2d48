#pragma once

#include "audit/AuditTrail.h"
#include "common/Core.h"

#include "portico/RateLimit.h"
#include "portico/Routes.h"

#include <mutex>

namespace portico::identity
{

struct VerifyQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const VerifyQuery*) { return describe(field<&VerifyQuery::organizationId>()); }

/// Serves the audit log: an organization sees its entries, an operator all. Thread-safe.
class AuditRoutes
{
public:
    explicit AuditRoutes(Core& core)
        : _core(core), _verifications(core.state, core.clock, {.use = "audit-verifications", .limit = verificationsPerMinute})
    {
    }
    void declare(Routes& routes);

    /// Newest first.
    Page<AuditEvent> list(const Caller& caller, const Query<AuditFilter>& filter, const Paging& paging) const;
    /// Writes one JSON object a line, oldest first, up to the last entry at the start of the export.
    Stream exportAll(const Caller& caller, const Query<AuditFilter>& filter) const;
    /// Verifies the whole chain for operators. For organizations, continues after the part that this host has verified; limited to some
    /// calls a minute.
    AuditVerification verify(const Caller& caller, const Query<VerifyQuery>& query) const;

private:
    static constexpr std::int64_t verificationsPerMinute = 10;

    Core& _core;
    RateLimit _verifications;
    mutable std::mutex _walking;
    mutable SoundChain _found;
};

} // namespace portico::identity
