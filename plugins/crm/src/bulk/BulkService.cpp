#include "bulk/BulkService.h"

#include "Rights.h"
#include "contacts/ContactList.h"
#include "contacts/ContactRules.h"
#include "data/Locks.h"
#include "data/ManyRows.h"
#include "imports/ImportOwners.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <chrono>

namespace portico::crm
{

namespace
{

constexpr std::string_view runBulkJob = "crm.bulk.run", tidyBulkJob = "crm.bulk.tidy";
/// Maximum transactions of one job run. Afterwards the job is enqueued again, so that other jobs can run.
constexpr int stepsTogether = 20;
constexpr std::chrono::seconds askAgain{1};
constexpr std::int64_t forgottenTogether = 2000;

Problem conflictingWith(std::string_view field, std::string_view message) { return Problem::invalid(field, "conflicting", message); }

void checkTagList(std::vector<std::string>& tags, std::string_view list)
{
    for (std::size_t i = 0; i < tags.size(); ++i)
    {
        tags[i] = tagOf(tags[i]);
        if (tags[i].empty())
            throw Problem::invalid("change." + std::string(list) + '[' + std::to_string(i) + ']', "required", "Must not be empty");
    }
}

/// @throws Problem 400
void checkPlan(const BulkPlan& plan)
{
    const auto& change = plan.change;
    if (change.pipelineId && !plan.moves()) throw Problem::invalid("change.stageId", "required", "Name the stage");
    const bool edits = !change.addTags.empty() || !change.removeTags.empty() || change.ownerUserId || plan.disown || change.lifecycle ||
                       change.doNotContact || plan.moves();
    if (change.remove && edits) throw conflictingWith("change.delete", "A deletion excludes other changes");
    if (!change.remove && !edits) throw Problem::invalid("change", "required", "Name at least one change");
    for (const auto& tag : change.addTags)
        if (std::find(change.removeTags.begin(), change.removeTags.end(), tag) != change.removeTags.end())
            throw conflictingWith("change.removeTags", "A tag is either added or removed");
}

void checkUndoable(const BulkState& state, Instant now)
{
    if (state.status == BulkStatus::Running) throw Problem::conflict("conflict", "The change is still running.");
    if (state.undoneAt) throw Problem::conflict("conflict", "The change was undone before.");
    if (!state.undoUntil) throw Problem::conflict("conflict", "Nothing was changed.");
    if (*state.undoUntil <= now) throw Problem::conflict("conflict", "The change is too old to be undone.");
}

/// The parsed request, and whether the body sets owner and stage to null, which differs from leaving them out.
struct ReadRequest
{
    explicit ReadRequest(const Patch<BulkRequest>& body)
    {
        body.applyTo(request);
        validate(request);
        BulkRequest other;
        other.change.ownerUserId = UserId::make(Instant{});
        other.change.stageId = StageId::make(Instant{});
        body.applyTo(other);
        disown = !other.change.ownerUserId;
        takeOff = !other.change.stageId;
    }
    BulkRequest request;
    bool disown = false;
    bool takeOff = false;
};

} // namespace

void BulkService::start()
{
    auto& jobs = _tools.context.jobs();
    jobs.handle(runBulkJob, &BulkService::run, this);
    jobs.onFailure(runBulkJob, &BulkService::gaveUp, this);
    jobs.handle(tidyBulkJob, &BulkService::tidy, this);
    jobs.every(tidyBulkJob, std::chrono::hours(1));
}

template <class F>
BulkState BulkService::change(Transaction& transaction, Tenant tenant, const BulkId& id, F&& edit) const
{
    return bulkTable.change(transaction, tenant, id, IfMatch(""), Stamp{now()}, std::forward<F>(edit));
}

Reply<BulkReport> BulkService::begin(const Caller& caller, const Body<Patch<BulkRequest>>& body)
{
    const auto tenant = caller.tenant();
    const ReadRequest read(*body);
    BulkState state;
    state.plan = checked(caller, {read.request.change, read.disown, read.takeOff});
    state.startedAt = state.updatedAt = now();
    state.bulkId = BulkId::make(state.startedAt);
    state.dryRun = read.request.dryRun;
    state.createdBy = caller.principalId;
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            select(transaction, tenant, read.request, state);
            _tools.context.jobs().enqueue(transaction, runBulkJob, BulkJob{std::string(tenant.text()), state.bulkId});
        });
    return {reportOf(state), 202};
}

BulkPlan BulkService::checked(const Caller& caller, BulkPlan plan) const
{
    if (plan.moves()) requireRight(caller, "crm.pipeline:move", "pipeline.write");
    checkTagList(plan.change.addTags, "addTags");
    checkTagList(plan.change.removeTags, "removeTags");
    checkPlan(plan);
    const auto& owner = plan.change.ownerUserId;
    if (owner && !ImportOwners(_tools.context.services(), std::string(caller.tenant().text())).byId(*owner))
        throw Problem::invalid("change.ownerUserId", "unknown_owner", "Not an active member of the organization");
    findStage(caller, plan);
    return plan;
}

void BulkService::findStage(const Caller& caller, BulkPlan& plan) const
{
    auto& change = plan.change;
    if (!plan.moves()) return;
    const auto pipeline = _tools.pipelines.requireStage(caller, change.pipelineId, change.stageId, "change.");
    change.pipelineId = pipeline.pipelineId;
    const auto* stage = change.stageId ? pipeline.stage(*change.stageId) : nullptr;
    if (stage && stage->kind == StageKind::Lost && pipeline.requireLostReason && change.lostReason.empty())
        throw Problem::invalid("change.lostReason", "required", "This pipeline wants to know why");
}

void BulkService::select(Transaction& transaction, Tenant tenant, const BulkRequest& request, BulkState& state) const
{
    if (request.ids.empty() == !request.filter) throw Problem::invalid("ids", "required", "Give either ids or a filter");
    if (request.filter && request.filter->archived)
        throw Problem::invalid("filter.archived", "not_allowed", "Deleted contacts are not changed: restore them first");
    bulkTable.insert(transaction, tenant, state);
    if (request.filter)
        state.selected = selectMatching(transaction, tenant, *request.filter, state.bulkId);
    else
    {
        ManyRows rows("bulk_contact (organization_id, bulk_id, contact_id)", 3, "ON CONFLICT DO NOTHING");
        for (const auto& id : request.ids) rows.add(tenant, state.bulkId, id);
        state.selected = rows.write(transaction);
    }
    state = change(transaction, tenant, state.bulkId, [&](BulkState& stored) { stored.selected = state.selected; });
}

std::int64_t BulkService::selectMatching(Transaction& transaction, Tenant tenant, const BulkFilter& filter, const BulkId& id) const
{
    SqlConditions conditions;
    addFilter(conditions, filter, transaction.dialect(), tenant, {now(), _callingCode});
    const auto bulk = conditions.bind(id.text());
    transaction.queryValues("INSERT INTO bulk_contact (organization_id, bulk_id, contact_id) SELECT c.organization_id, CAST(" + bulk +
                                " AS TEXT), c.id FROM contact c WHERE " + conditions.text() + " LIMIT " +
                                std::to_string(BulkRequest::maxContacts + 1),
                            conditions.values());
    const auto count =
        *transaction.value<std::int64_t>("SELECT count(*) FROM bulk_contact WHERE organization_id = $1 AND bulk_id = $2", tenant, id);
    if (count > BulkRequest::maxContacts)
        throw Problem::invalid("filter", "too_many_values", "At most 200,000 contacts are changed at once");
    return count;
}

Page<BulkReport> BulkService::list(const Caller& caller, const Query<BulkListFilter>& filter, const Paging& paging) const
{
    const auto tenant = caller.tenant();
    auto session = _tools.context.database().session();
    auto bulks = bulkTable.select(tenant);
    if (!filter->status.empty()) bulks.whereIn(&BulkState::status, filter->status);
    if (filter->sort == BulkSort::StartedAt)
        bulks.orderBy(&BulkState::startedAt, &BulkState::bulkId);
    else
        bulks.orderBy(descending(&BulkState::startedAt), descending(&BulkState::bulkId));
    auto states = bulks.page(session, paging);
    Page<BulkReport> page{{}, std::move(states.nextCursor), states.total};
    for (const auto& state : states.items) page.items.push_back(reportOf(state));
    return page;
}

BulkReport BulkService::show(const Caller& caller, const Path<BulkId>& id) const
{
    auto session = _tools.context.database().session();
    return reportOf(bulkTable.require(session, caller.tenant(), *id));
}

void BulkService::run(const BulkJob& bulk, const Job& job)
{
    const auto tenant = Tenant::fromStored(bulk.organizationId);
    enum class Turn
    {
        Others,
        More,
        Done
    };
    auto turn = Turn::Others;
    const auto work = [&]
    {
        turn = Turn::More;
        for (int steps = 0; steps < stepsTogether && !job.stop.stop_requested(); ++steps)
            if (!step(tenant, bulk.bulkId))
            {
                turn = Turn::Done;
                return;
            }
    };
    try
    {
        _tools.context.state().withLock(longWorkOf(tenant), {}, work);
    }
    catch (const Problem&)
    {
        if (turn != Turn::Others) throw;
    }
    if (turn == Turn::More) throw JobRetry::after({}, "there are more contacts").uncounted();
    if (turn == Turn::Others) throw JobRetry::after(askAgain, "others of the organization are running").uncounted();
}

bool BulkService::step(Tenant tenant, const BulkId& id) const
{
    const auto isDry = [&]
    {
        auto session = _tools.context.database().session();
        const auto state = bulkTable.find(session, tenant, id);
        return state && state->dryRun;
    }();
    if (isDry) return tryStep(tenant, id);
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            const auto state = bulkTable.findForUpdate(transaction, tenant, id);
            if (!state || state->status != BulkStatus::Running) return false;
            change(transaction, tenant, id, [&](BulkState& bulk) { changeSome(_tools, transaction, tenant, bulk); });
            return true;
        });
}

bool BulkService::tryStep(Tenant tenant, const BulkId& id) const
{
    auto tried = [&]
    {
        // The same as for real, and then taken back.
        auto transaction = _tools.context.database().begin();
        auto state = bulkTable.findForUpdate(transaction, tenant, id);
        if (state && state->status == BulkStatus::Running) changeSome(_tools, transaction, tenant, *state);
        return state;
    }();
    if (!tried) return false;
    return _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            const auto state = bulkTable.findForUpdate(transaction, tenant, id);
            if (!state || state->status != BulkStatus::Running || state->version != tried->version) return false;
            change(transaction, tenant, id, [&](BulkState& bulk) { bulk = *tried; });
            return true;
        });
}

void BulkService::gaveUp(const BulkJob& bulk, const Job&, std::string_view error)
{
    const auto tenant = Tenant::fromStored(bulk.organizationId);
    _tools.context.logger().error("a bulk change broke off", {{"bulk", bulk.bulkId.text()}, {"error", std::string(error)}});
    _tools.context.database().transact(
        [&](Transaction& transaction)
        {
            const auto state = bulkTable.findForUpdate(transaction, tenant, bulk.bulkId);
            if (!state || state->status != BulkStatus::Running) return;
            const auto broken =
                change(transaction, tenant, bulk.bulkId, [&](BulkState& running) { finish(running, BulkStatus::Failed, now()); });
            announce(_tools.context.events(), transaction, tenant, "completed", broken);
        });
}

UndoneBulk BulkService::undo(const Caller& caller, const Path<BulkId>& id, const IfMatch& ifMatch)
{
    const auto tenant = caller.tenant();
    UndoneBulk answer{*id, 0, {}};
    std::string position;
    do {
        BulkUndoStep step;
        const auto undoNext = [&](Transaction& transaction, BulkState& state)
        {
            if (position.empty()) ifMatch.require(state.version);
            checkUndoable(state, now());
            if (state.plan.moves()) requireRight(caller, "crm.pipeline:move", "pipeline.write");
            step = undoSome(_tools, transaction, tenant, state, position);
            if (!step.position.empty()) return;
            if (state.undone == 0) throw Problem::conflict("conflict", "All contacts were changed since.");
            state.undoneAt = now();
            announce(_tools.context.events(), transaction, tenant, "undone", state);
        };
        const auto state = _tools.context.database().transact(
            [&](Transaction& transaction)
            { return change(transaction, tenant, *id, [&](BulkState& bulk) { undoNext(transaction, bulk); }); });
        answer.undone = state.undone;
        answer.kept.insert(answer.kept.end(), step.kept.begin(), step.kept.end());
        position = std::move(step.position);
    } while (!position.empty());
    return answer;
}

void BulkService::tidy(const Job& job)
{
    std::vector<std::pair<std::string, BulkId>> old;
    {
        auto session = _tools.context.database().session();
        for (Row row : session.query(
                 "SELECT organization_id, bulk_id FROM bulk WHERE forget_at IS NOT NULL AND forget_at <= $1 ORDER BY forget_at LIMIT 100",
                 now()))
            old.emplace_back(row.get<std::string>(0), row.get<BulkId>(1));
    }
    for (const auto& [organization, id] : old) forget(Tenant::fromStored(organization), id, job.stop);
}

void BulkService::forget(Tenant tenant, const BulkId& id, const std::stop_token& stop) const
{
    for (bool more = true; more && !stop.stop_requested();)
        more = _tools.context.database().transact(
            [&](Transaction& transaction)
            {
                const auto removed = transaction.execute(
                    "DELETE FROM bulk_contact WHERE organization_id = $1 AND bulk_id = $2 AND contact_id IN (SELECT contact_id FROM "
                    "bulk_contact WHERE organization_id = $1 AND bulk_id = $2 LIMIT $3)",
                    tenant, id, forgottenTogether);
                if (removed > 0) return true;
                change(transaction, tenant, id, [](BulkState& state) { state.forgetAt.reset(); });
                return false;
            });
}

} // namespace portico::crm
