#pragma once

#include "pipelines/Pipeline.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Database.h"
#include "portico/Results.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// The rows of pipelines. Every statement names the organization. Holds SQL only, so one object serves all threads.
///
/// Whoever changes cards locks in this order, so that nobody waits in a circle: the pipelines (by id), then the contacts (by id), then
/// cards. On PostgreSQL the lock of a pipeline is what keeps two cards from getting one position; on SQLite there is one writer.
class PipelineStore
{
public:
    PipelineStore();

    /// A page in the order of creation, of those that the caller reaches.
    Page<Pipeline> list(Session& session, const Caller& caller, const Paging& paging) const;
    std::vector<Pipeline> all(Session& session, Tenant tenant) const;
    std::optional<Pipeline> find(Session& session, Tenant tenant, const PipelineId& id) const;
    bool any(Session& session, Tenant tenant) const;

    /// The pipeline for changing it or its cards: no other writer does until the transaction ends.
    std::optional<Pipeline> lock(Transaction& transaction, Tenant tenant, const PipelineId& id) const;
    std::optional<Pipeline> lockDefault(Transaction& transaction, Tenant tenant) const;
    /// All of the organization's, in the order of creation: for changing what pipelines there are.
    std::vector<Pipeline> lockAll(Transaction& transaction, Tenant tenant) const;

    /// Makes the organization's first, default pipeline, unless there is a default.
    void insertFirst(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const;
    void insert(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const;
    void update(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const;
    /// Without cards.
    void erase(Transaction& transaction, Tenant tenant, const PipelineId& id) const;

private:
    std::string _select;
};

} // namespace portico::crm
