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

/// The audit trail for who has to look into it: an organization sees its own entries, an operator all. Thread-safe.
class AuditRoutes
{
public:
    explicit AuditRoutes(Core& core)
        : _core(core), _verifications(core.state, core.clock, {.use = "audit-verifications", .limit = verificationsPerMinute})
    {
    }
    void declare(Routes& routes);

    /// The newest first.
    Page<AuditEvent> list(const Caller& caller, const Query<AuditFilter>& filter, const Paging& paging) const;
    /// One JSON object a line, the oldest first, up to what there was when the export began.
    Stream exportAll(const Caller& caller, const Query<AuditFilter>& filter) const;
    /// The whole for operators; others go on from where this host has found the chain whole, some times a minute.
    AuditVerification verify(const Caller& caller, const Query<VerifyQuery>& query) const;

private:
    static constexpr std::int64_t verificationsPerMinute = 10;

    Core& _core;
    RateLimit _verifications;
    mutable std::mutex _walking;
    mutable SoundChain _found;
};

} // namespace portico::identity
