#pragma once

#include "pipelines/CardMover.h"

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
        field<&RemovalOptions::moveTo>().description("Stage of another pipeline that receives the cards; required if there are any"));
}

/// Operations on pipelines. Each runs in one transaction with its events. Thread-safe.
class PipelineService
{
public:
    /// @param currency ISO 4217 code for pipelines without one
    PipelineService(PluginContext& context, std::string currency) : _context(context), _mover(context), _currency(std::move(currency)) {}

    /// Creates the default pipeline if the organization has none, once also for concurrent requests. Every pipeline route calls it first.
    void ensureDefault(Tenant tenant);

    /// @throws Problem 409 when there are 50
    Created<Pipeline> create(const Caller& caller, const Body<Pipeline>& body);
    /// @throws Problem 409 when a stage with cards would go
    Pipeline update(const Caller& caller, const Path<PipelineId>& id, const Body<Patch<Pipeline>>& body, const IfMatch& ifMatch);
    /// @throws Problem 409 for the last one, and for one with cards
    Deleted<PipelineId, "pipelineId"> remove(const Caller& caller, const Path<PipelineId>& id, const Query<RemovalOptions>& options,
                                             const IfMatch& ifMatch);
    /// `ifMatch` is about the contact. @throws Problem 403 for a key that is bound to other pipelines; 400 for a move that cannot be undone
    MoveResult move(const Caller& caller, const Path<ContactId>& contactId, const Body<Patch<MoveRequest>>& body, const IfMatch& ifMatch);

    /// The pipeline onto which contacts are to be put: the one that is named, else the one that has the stage, else the default.
    /// @param path of the members `pipelineId` and `stageId` that say so, for the problem.
    /// @throws Problem 400; 403 `resource_not_bound`
    Pipeline requireStage(const Caller& caller, const std::optional<PipelineId>& id, const std::optional<StageId>& stageId,
                          std::string_view path);

    /// For others that move contacts in a transaction of theirs, as an import does: the pipeline (empty: the default, made if there is
    /// none), locked until the transaction ends. Take it before contacts are locked, see Pipeline.h.
    /// @throws Problem 404
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
    void setDefault(Transaction& transaction, Tenant tenant, const PipelineId& id, bool isDefault) const;
    Instant now() const { return _context.clock().now(); }

    PluginContext& _context;
    CardMover _mover;
    std::string _currency;
};

} // namespace portico::crm
