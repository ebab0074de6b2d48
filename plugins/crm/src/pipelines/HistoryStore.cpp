#include "pipelines/HistoryStore.h"

#include "data/SqlText.h"
#include "pipelines/Pipeline.h"

#include <charconv>

namespace portico::crm
{

namespace
{

/// `1795224888705\nphi_…`: when and id of the last entry of a page. The SDK signs it.
std::string cursorOf(const HistoryEntry& entry) { return std::to_string(toMillis(entry.movedAt)) + '\n' + entry.historyId.text(); }

void addHistoryCursor(SqlConditions& conditions, std::string_view cursor, bool descending)
{
    if (cursor.empty()) return;
    const auto end = cursor.find('\n');
    std::int64_t moved = 0;
    std::from_chars(cursor.data(), cursor.data() + end, moved);
    conditions.add(std::string("(moved_at, history_id) ") + (descending ? "<" : ">") + " (" + conditions.bind(moved) + ", " +
                   conditions.bind(std::string(cursor.substr(end + 1))) + ")");
}

/// Those that were asked for, and of these those that the caller reaches; empty: all.
void addPipelines(SqlConditions& conditions, const Caller& caller, const HistoryFilter& filter)
{
    std::vector<std::string> wanted;
    for (const auto& id : filter.pipelineId) wanted.push_back(id.text());
    const auto bound = caller.boundResources.find(std::string(pipelineResource));
    if (bound != caller.boundResources.end() && wanted.empty()) wanted = bound->second;
    if (!wanted.empty()) conditions.addIn("pipeline_id", wanted);
}

} // namespace

Page<HistoryEntry> HistoryStore::list(Session& session, const Caller& caller, const ContactId& contactId, const HistoryFilter& filter,
                                      const Paging& paging) const
{
    const bool descending = filter.sort == HistorySort::MovedAtDescending;
    Page<HistoryEntry> page;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(caller.tenant().text())));
    conditions.add("contact_id = " + conditions.bind(contactId.text()));
    addPipelines(conditions, caller, filter);
    if (paging.includeTotal)
        for (Row row : session.queryValues("SELECT count(*) FROM pipeline_history WHERE " + conditions.text(), conditions.values()))
            page.total = row.get<std::int64_t>(0);

    addHistoryCursor(conditions, paging.cursor, descending);
    const std::string direction = descending ? " DESC" : "";
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const auto sql = "SELECT " + columns<HistoryEntry>() + " FROM pipeline_history WHERE " + conditions.text() + " ORDER BY moved_at" +
                     direction + ", history_id" + direction + " LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = cursorOf(page.items.back());
            break;
        }
        page.items.push_back(row.as<HistoryEntry>());
    }
    return page;
}

std::vector<HistoryEntry> HistoryStore::firstPage(Session& session, const Caller& caller, const ContactId& contactId) const
{
    return list(session, caller, contactId, HistoryFilter{}, Paging{}).items;
}

HistoryStore::Latest HistoryStore::latest(Session& session, Tenant tenant, const ContactId& contactId) const
{
    Latest latest;
    for (Row row : session.query("SELECT moved_at, history_id FROM pipeline_history WHERE organization_id = $1 AND contact_id = $2 "
                                 "ORDER BY moved_at DESC, history_id DESC LIMIT 1",
                                 tenant, contactId))
        latest = {row.get<Instant>(0), row.get<std::string>(1)};
    return latest;
}

void HistoryStore::insert(Transaction& transaction, Tenant tenant, const HistoryEntry& entry) const
{
    transaction.insert("pipeline_history", entry, {"organization_id"}, tenant);
}

std::vector<HistoryId> HistoryStore::give(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to) const
{
    std::vector<HistoryId> entries;
    for (Row row : transaction.query("SELECT history_id FROM pipeline_history WHERE organization_id = $1 AND contact_id = $2 "
                                     "ORDER BY moved_at, history_id",
                                     tenant, from))
        entries.push_back(row.get<HistoryId>(0));
    transaction.execute("UPDATE pipeline_history SET contact_id = $3 WHERE organization_id = $1 AND contact_id = $2", tenant, from, to);
    return entries;
}

void HistoryStore::giveBack(Transaction& transaction, Tenant tenant, const ContactId& from, const ContactId& to,
                            const std::vector<HistoryId>& entries) const
{
    for (const auto& entry : entries)
        transaction.execute(
            "UPDATE pipeline_history SET contact_id = $4 WHERE organization_id = $1 AND history_id = $2 AND contact_id = $3", tenant, entry,
            from, to);
}

} // namespace portico::crm
