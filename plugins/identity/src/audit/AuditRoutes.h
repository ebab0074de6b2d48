#pragma once

#include "audit/AuditTrail.h"
#include "common/Core.h"

#include "portico/Routes.h"

namespace portico::identity
{

struct VerifyQuery
{
    std::optional<OrganizationId> organizationId;
};

constexpr auto schemaOf(const VerifyQuery*) { return describe(field("organizationId", &VerifyQuery::organizationId)); }

/// The audit trail for who has to look into it: an organization sees its own entries, an operator all. Thread-safe.
class AuditRoutes
{
public:
    explicit AuditRoutes(Core& core) : _core(core) {}
    void declare(Routes& routes);

    /// The newest first.
    Page<AuditEvent> list(const Caller& caller, const Query<AuditFilter>& filter, const Paging& paging) const;
    /// One JSON object a line, the oldest first, up to what there was when the export began.
    Stream exportAll(const Caller& caller, const Query<AuditFilter>& filter) const;
    AuditVerification verify(const Caller& caller, const Query<VerifyQuery>& query) const;

private:
    Core& _core;
};

} // namespace portico::identity
