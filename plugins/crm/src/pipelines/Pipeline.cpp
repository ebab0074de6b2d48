#include "pipelines/Pipeline.h"

#include <algorithm>

namespace portico::crm
{

const Stage* Pipeline::stage(const StageId& id) const noexcept
{
    const auto found = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) { return stage.stageId == id; });
    return found == stages.end() ? nullptr : &*found;
}

bool Pipeline::allows(const StageId& from, const StageId& to) const noexcept
{
    return !transitions || std::find(transitions->begin(), transitions->end(), Transition{from, to}) != transitions->end();
}

bool isColor(std::string_view text)
{
    constexpr std::size_t length = 7;
    return text.size() == length && text.front() == '#' && text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string_view::npos;
}

Page<Pipeline> listPipelines(Session& session, const Caller& caller, const Paging& paging)
{
    auto pipelines = pipelineTable.select(caller.tenant());
    if (const auto reached = reachedPipelines(caller)) pipelines.whereIn(&Pipeline::pipelineId, *reached);
    return pipelines.orderBy(&Pipeline::createdAt).page(session, paging);
}

std::vector<Pipeline> allPipelines(Session& session, Tenant tenant)
{
    return pipelineTable.select(tenant).orderBy(&Pipeline::createdAt).all(session);
}

std::vector<Pipeline> lockPipelines(Transaction& transaction, Tenant tenant)
{
    // Uses two statements: the first waits for locks, and its snapshot would miss pipelines created while it waits.
    pipelineTable.select(tenant).orderBy(&Pipeline::pipelineId).forUpdate().all(transaction);
    return allPipelines(transaction, tenant);
}

std::optional<Pipeline> lockDefaultPipeline(Transaction& transaction, Tenant tenant)
{
    // Another may become the default while this waits for the one that was: then there is no row, and the next look sees the other.
    constexpr int attempts = 5;
    for (int i = 0; i < attempts; ++i)
        if (auto found = pipelineTable.select(tenant).where(&Pipeline::isDefault, true).forUpdate().first(transaction)) return found;
    return std::nullopt;
}

} // namespace portico::crm
