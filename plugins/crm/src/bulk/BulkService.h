#pragma once

#include "bulk/BulkStep.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Jobs.h"
#include "portico/Results.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Payload of the job that makes a bulk change.
struct BulkJob
{
    std::string organizationId;
    BulkId bulkId;
};

constexpr auto schemaOf(const BulkJob*) { return describe(members<&BulkJob::organizationId, &BulkJob::bulkId>()); }

/// Changes many contacts at once. The request determines the contacts; a job changes them in batches, one transaction each. Each
/// transaction stores the progress, so that an interrupted run is continued. Thread-safe.
class BulkService
{
public:
    /// All arguments must outlive this object.
    BulkService(PluginContext& context, PipelineService& pipelines, const VersionKeepers& keepers, std::string callingCode)
        : _tools{context, pipelines, keepers}, _callingCode(std::move(callingCode))
    {
    }
    /// Registers the jobs that make bulk changes and remove undo data.
    void start();

    /// @throws Problem 400, 403
    Reply<BulkReport> begin(const Caller& caller, const Body<Patch<BulkRequest>>& body);
    Page<BulkReport> list(const Caller& caller, const Query<BulkListFilter>& filter, const Paging& paging) const;
    /// @throws Problem 404
    BulkReport show(const Caller& caller, const Path<BulkId>& id) const;
    /// Reverts a bulk change, except for contacts that were changed since. @throws Problem 403, 404, 409, 412
    UndoneBulk undo(const Caller& caller, const Path<BulkId>& id, const IfMatch& ifMatch);

private:
    /// @throws Problem 400, 403
    BulkPlan checked(const Caller& caller, BulkPlan plan) const;
    void findStage(const Caller& caller, BulkPlan& plan) const;
    void select(Transaction& transaction, Tenant tenant, const BulkRequest& request, BulkState& state) const;
    std::int64_t selectMatching(Transaction& transaction, Tenant tenant, const BulkFilter& filter, const BulkId& id) const;
    /// Continues a bulk change for a while. @throws JobRetry when there is more to do
    void run(const BulkJob& bulk, const Job& job);
    /// Changes the next contacts. Returns false at the end.
    bool step(Tenant tenant, const BulkId& id) const;
    bool tryStep(Tenant tenant, const BulkId& id) const;
    void gaveUp(const BulkJob& bulk, const Job& job, std::string_view error);
    void tidy(const Job& job);
    void forget(Tenant tenant, const BulkId& id, const std::stop_token& stop) const;
    template <class F>
    BulkState change(Transaction& transaction, Tenant tenant, const BulkId& id, F&& edit) const;
    Instant now() const { return _tools.context.clock().now(); }

    const BulkTools _tools;
    const std::string _callingCode;
};

} // namespace portico::crm
