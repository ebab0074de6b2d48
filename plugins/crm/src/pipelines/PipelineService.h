#pragma once

#include "pipelines/CardMover.h"
#include "pipelines/PipelineStore.h"

#include "portico/Arguments.h"
#include "portico/Caller.h"
#include "portico/Plugin.h"
#include "portico/Results.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Query of DELETE /api/pipeline/{pipelineId}.
struct RemovalOptions
{
    std::optional<StageId> moveTo;
};

constexpr auto schemaOf(const RemovalOptions*)
{
    return describe(
        field("moveTo", &RemovalOptions::moveTo).description("The stage of another pipeline to which the cards go, if there are any"));
}

/// Its answer.
struct DeletedPipeline
{
    PipelineId pipelineId;
    bool deleted = true;
};

constexpr auto schemaOf(const DeletedPipeline*)
{
    return describe(field("pipelineId", &DeletedPipeline::pipelineId), field("deleted", &DeletedPipeline::deleted));
}

/// What can be done with pipelines, each in one transaction with its events. Thread-safe.
class PipelineService
{
public:
    /// `currency`: of pipelines that name none, ISO 4217.
    PipelineService(PluginContext& context, const PipelineStore& pipelines, const CardStore& cards, const CardMover& mover,
                    std::string currency);

    /// Makes the default pipeline if the organization has none yet: once, however many ask at the same time. Every pipeline route calls it
    /// first.
    void ensureDefault(Tenant tenant);

    /// @throws Problem 400, 409 when there are 50
    Pipeline create(const Caller& caller, Pipeline pipeline);
    /// Merges (RFC 7396). A merge that changes nothing makes no new version. @throws Problem 400, 404, 409, 412
    Pipeline update(const Caller& caller, const PipelineId& id, const Patch<Pipeline>& patch, const IfMatch& ifMatch);
    /// @throws Problem 400, 404, 409, 412
    DeletedPipeline remove(const Caller& caller, const PipelineId& id, const std::optional<StageId>& moveTo, const IfMatch& ifMatch);
    /// @throws Problem 400, 403 for a key that is bound to other pipelines, 404
    MoveResult move(const Caller& caller, const ContactId& contactId, const Patch<MoveRequest>& patch);

    /// For others that move contacts in a transaction of theirs, as an import does: the pipeline (empty: the default, made if there is
    /// none), locked until the transaction ends. Take it before contacts are locked, see PipelineStore. @throws Problem 404
    Pipeline hold(Transaction& transaction, Tenant tenant, const std::optional<PipelineId>& id) const;
    /// Puts a contact onto a stage of a pipeline that `hold` gave. @throws Problem as CardMover::place
    MoveResult placeOnStage(Transaction& transaction, Tenant tenant, const Pipeline& pipeline, const Placement& placement) const;

private:
    void checkRemovals(Transaction& transaction, Tenant tenant, const Pipeline& before, const std::vector<StageId>& removed,
                       const std::map<StageId, StageId>& targets) const;
    void moveCards(Transaction& transaction, const Caller& caller, const Pipeline& before, const Pipeline& after,
                   const std::map<StageId, StageId>& targets) const;
    void empty(Transaction& transaction, const Caller& caller, const Pipeline& pipeline, const std::vector<Pipeline>& all,
               const std::optional<StageId>& moveTo) const;
    void takeDefault(Transaction& transaction, Tenant tenant, const std::vector<Pipeline>& all, const PipelineId& except) const;
    Instant now() const { return _context.clock().now(); }

    PluginContext& _context;
    const PipelineStore& _pipelines;
    const CardStore& _cards;
    const CardMover& _mover;
    std::string _currency;
};

} // namespace portico::crm
