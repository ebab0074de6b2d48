#include "pipelines/PipelineStore.h"

#include "data/SqlText.h"

#include <charconv>

namespace portico::crm
{

namespace
{

/// `1795224888705\npip_…`: when the last pipeline of a page was made, and its id. The SDK signs it.
void addPipelineCursor(SqlConditions& conditions, std::string_view cursor)
{
    if (cursor.empty()) return;
    const auto end = cursor.find('\n');
    std::int64_t created = 0;
    std::from_chars(cursor.data(), cursor.data() + end, created);
    conditions.add("(created_at, pipeline_id) > (" + conditions.bind(created) + ", " +
                   conditions.bind(std::string(cursor.substr(end + 1))) + ")");
}

void addReach(SqlConditions& conditions, const Caller& caller)
{
    const auto bound = caller.boundResources.find(std::string(pipelineResource));
    if (bound == caller.boundResources.end()) return;
    if (bound->second.empty())
        conditions.add("1 = 0");
    else
        conditions.addIn("pipeline_id", bound->second);
}

} // namespace

PipelineStore::PipelineStore() : _select("SELECT " + columns<Pipeline>() + " FROM pipeline WHERE organization_id = $1") {}

Page<Pipeline> PipelineStore::list(Session& session, const Caller& caller, const Paging& paging) const
{
    Page<Pipeline> page;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(caller.tenant().text())));
    addReach(conditions, caller);
    if (paging.includeTotal)
        for (Row row : session.queryValues("SELECT count(*) FROM pipeline WHERE " + conditions.text(), conditions.values()))
            page.total = row.get<std::int64_t>(0);

    addPipelineCursor(conditions, paging.cursor);
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const auto sql =
        "SELECT " + columns<Pipeline>() + " FROM pipeline WHERE " + conditions.text() + " ORDER BY created_at, pipeline_id LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            const auto& last = page.items.back();
            page.nextCursor = std::to_string(toMillis(last.createdAt)) + '\n' + last.pipelineId.text();
            break;
        }
        page.items.push_back(row.as<Pipeline>());
    }
    return page;
}

std::vector<Pipeline> PipelineStore::all(Session& session, Tenant tenant) const
{
    return session.all<Pipeline>(_select + " ORDER BY created_at, pipeline_id", tenant);
}

std::optional<Pipeline> PipelineStore::find(Session& session, Tenant tenant, const PipelineId& id) const
{
    return session.one<Pipeline>(_select + " AND pipeline_id = $2", tenant, id);
}

bool PipelineStore::any(Session& session, Tenant tenant) const
{
    return session.value<std::int64_t>("SELECT 1 FROM pipeline WHERE organization_id = $1 LIMIT 1", tenant).has_value();
}

std::optional<Pipeline> PipelineStore::lock(Transaction& transaction, Tenant tenant, const PipelineId& id) const
{
    return transaction.one<Pipeline>(_select + " AND pipeline_id = $2" + std::string(forUpdate(transaction)), tenant, id);
}

std::optional<Pipeline> PipelineStore::lockDefault(Transaction& transaction, Tenant tenant) const
{
    // Another may become the default while this waits for the one that was: then there is no row, and the next look sees the other.
    constexpr int attempts = 5;
    for (int i = 0; i < attempts; ++i)
        if (auto found = transaction.one<Pipeline>(_select + " AND is_default" + std::string(forUpdate(transaction)), tenant)) return found;
    return std::nullopt;
}

std::vector<Pipeline> PipelineStore::lockAll(Transaction& transaction, Tenant tenant) const
{
    // Two statements: the first waits, and may not see what was made meanwhile.
    transaction.all<Pipeline>(_select + " ORDER BY pipeline_id" + std::string(forUpdate(transaction)), tenant);
    return all(transaction, tenant);
}

void PipelineStore::insertFirst(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const
{
    std::vector<SqlValue> values;
    std::vector<std::string> kept;
    detail::recordValues(detail::typeOf<Pipeline>, &pipeline, values, kept);
    values.emplace_back(tenant);
    constexpr std::string_view tenantColumn = "organization_id";
    const auto sql = detail::insertText(detail::typeOf<Pipeline>, "pipeline", {&tenantColumn, 1});
    // The index of defaults decides who is first.
    transaction.executeValues(sql + " ON CONFLICT DO NOTHING", values);
}

void PipelineStore::insert(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const
{
    transaction.insert("pipeline", pipeline, {"organization_id"}, tenant);
}

void PipelineStore::update(Transaction& transaction, Tenant tenant, const Pipeline& pipeline) const
{
    transaction.update("pipeline", pipeline, {}, {"organization_id", "pipeline_id"}, tenant, pipeline.pipelineId);
}

void PipelineStore::erase(Transaction& transaction, Tenant tenant, const PipelineId& id) const
{
    transaction.execute("DELETE FROM pipeline WHERE organization_id = $1 AND pipeline_id = $2", tenant, id);
}

} // namespace portico::crm
