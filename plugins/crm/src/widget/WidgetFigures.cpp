#include "widget/WidgetFigures.h"

#include "pipelines/MoneySum.h"

#include <algorithm>
#include <chrono>

namespace portico::crm
{

namespace
{

constexpr std::string_view cardsOfOrganization = " FROM pipeline_card WHERE organization_id = $1 AND NOT hidden";

void readContacts(Session& session, Tenant tenant, Instant now, WidgetFigures& figures)
{
    constexpr auto week = std::chrono::hours(24 * 7);
    for (Row row : session.query("SELECT count(*), count(CASE WHEN created_at >= $2 THEN 1 END) FROM contact "
                                 "WHERE organization_id = $1 AND deleted_at IS NULL",
                                 tenant, now - week))
    {
        figures.contacts = row.get<std::int64_t>(0);
        figures.newContacts = row.get<std::int64_t>(1);
    }
}

/// Pipelines and stages by the ids that cards have.
class Definitions
{
public:
    explicit Definitions(std::vector<Pipeline> pipelines) : _pipelines(std::move(pipelines)) {}

    const Pipeline* pipeline(const PipelineId& id) const
    {
        const auto found = std::find_if(_pipelines.begin(), _pipelines.end(), [&](const Pipeline& each) { return each.pipelineId == id; });
        return found == _pipelines.end() ? nullptr : &*found;
    }
    const Pipeline* defaultPipeline() const
    {
        const auto found = std::find_if(_pipelines.begin(), _pipelines.end(), [](const Pipeline& each) { return each.isDefault; });
        return found == _pipelines.end() ? nullptr : &*found;
    }

private:
    std::vector<Pipeline> _pipelines;
};

void readOpenValues(Session& session, const Definitions& definitions, Tenant tenant, WidgetFigures& figures)
{
    const auto sql = "SELECT pipeline_id, stage_id, " + sumColumns("value") + std::string(cardsOfOrganization) +
                     " AND value > 0 GROUP BY pipeline_id, stage_id";
    for (Row row : session.query(sql, tenant))
    {
        const auto* pipeline = definitions.pipeline(row.get<PipelineId>(0));
        const auto* stage = pipeline ? pipeline->stage(row.get<StageId>(1)) : nullptr;
        if (!stage || stage->kind != StageKind::Open) continue;
        auto& sum = figures.openValues[pipeline->currency];
        sum = added(sum, readSum(row, 2));
    }
}

void readStaleCards(Session& session, const Definitions& definitions, Tenant tenant, Instant now, WidgetFigures& figures)
{
    const auto stale = std::string(cardsOfOrganization) + " AND stale_at <= $2";
    figures.staleCards = session.value<std::int64_t>("SELECT count(*)" + stale, tenant, now).value_or(0);
    // CROSS JOIN keeps SQLite at this order: the ten cards first.
    const auto sql = "SELECT s.pipeline_id, s.stage_id, s.contact_id, c.display_name, s.since FROM (SELECT *" + stale +
                     " ORDER BY stale_at, contact_id, pipeline_id LIMIT 10) s CROSS JOIN contact c WHERE c.organization_id = $1 AND "
                     "c.id = s.contact_id ORDER BY s.stale_at, s.contact_id, s.pipeline_id";
    for (Row row : session.query(sql, tenant, now))
    {
        const auto* pipeline = definitions.pipeline(row.get<PipelineId>(0));
        const auto* stage = pipeline ? pipeline->stage(row.get<StageId>(1)) : nullptr;
        if (!stage) continue;
        figures.stalest.push_back(
            {row.get<ContactId>(2), pipeline->pipelineId, row.get<std::string>(3), stage->name, pipeline->name, row.get<Instant>(4)});
    }
}

} // namespace

WidgetFigures readFigures(Session& session, Tenant tenant, std::string_view currency, Instant now)
{
    WidgetFigures figures;
    const Definitions definitions(allPipelines(session, tenant));
    const auto* standard = definitions.defaultPipeline();
    figures.currency = standard ? standard->currency : std::string(currency);
    readContacts(session, tenant, now, figures);
    readOpenValues(session, definitions, tenant, figures);
    readStaleCards(session, definitions, tenant, now, figures);
    return figures;
}

} // namespace portico::crm
