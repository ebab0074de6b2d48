#include "imports/ImportStore.h"

#include "data/SqlText.h"
#include "imports/ImportIds.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

std::vector<ImportKeyOfRow> keysOf(Rows rows)
{
    std::vector<ImportKeyOfRow> keys;
    for (Row row : rows) keys.push_back({row.get<std::string>(0), row.get<ImportId>(1)});
    return keys;
}

/// Selects imports that can be undone, now or after their end.
constexpr std::string_view undoable = "undone_at IS NULL AND (forget_at IS NOT NULL OR phase <> 'done')";

/// Records the version of a contact that its import has created, which has no row until then. Skips locked imports: they are at work on
/// their rows or being undone, and waiting for them could deadlock (data/Locks.h).
void carryMakerOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t toVersion)
{
    const auto [first, last] = importsThatMade(id);
    transaction.execute("INSERT INTO import_row (organization_id, import_id, contact_id, file_row, version_after, placed, document_before) "
                        "SELECT organization_id, import_id, CAST($2 AS TEXT), 0, CAST($3 AS BIGINT), FALSE, NULL FROM import "
                        "WHERE organization_id = $1 AND import_id >= $4 AND import_id <= $5 AND " +
                            std::string(undoable) + std::string(forKeysOfFree(transaction)) + " ON CONFLICT DO NOTHING",
                        tenant, id, toVersion, first, last);
}

} // namespace

void carryImportsOver(Transaction& transaction, Tenant tenant, const ContactId& id, std::int64_t fromVersion, std::int64_t toVersion)
{
    transaction.execute("UPDATE import_row SET version_after = $4 WHERE organization_id = $1 AND contact_id = $2 AND version_after = $3 "
                        "AND import_id IN (SELECT import_id FROM import WHERE organization_id = $1 AND " +
                            std::string(undoable) + ")",
                        tenant, id, fromVersion, toVersion);
    if (fromVersion == 1) carryMakerOver(transaction, tenant, id, toVersion);
}

std::vector<ContactId> forgetImportedChanges(Transaction& transaction, Tenant tenant, const ContactId& id)
{
    transaction.execute("DELETE FROM import_row WHERE organization_id = $1 AND contact_id = $2", tenant, id);
    return {};
}

void recordChange(Transaction& transaction, Tenant tenant, const ImportedChange& change)
{
    const auto before = change.documentBefore ? std::optional(toJson(*change.documentBefore)) : std::nullopt;
    transaction.execute(
        "INSERT INTO import_row (organization_id, import_id, contact_id, file_row, version_after, placed, document_before) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (organization_id, import_id, contact_id) DO UPDATE SET "
        "file_row = excluded.file_row, version_after = excluded.version_after, placed = import_row.placed OR excluded.placed",
        tenant, change.importId, change.contactId, change.fileRow, change.versionAfter, change.placed, before);
}

Page<ImportReport> listImports(Session& session, Tenant tenant, const ImportFilter& filter, const Paging& paging)
{
    auto imports = importTable.select(tenant);
    if (!filter.status.empty()) imports.whereIn(&ImportState::status, filter.status);
    if (filter.sort == ImportSort::StartedAt)
        imports.orderBy(&ImportState::startedAt, &ImportState::importId);
    else
        imports.orderBy(descending(&ImportState::startedAt), descending(&ImportState::importId));
    auto states = imports.page(session, paging);
    Page<ImportReport> page{{}, std::move(states.nextCursor), states.total};
    for (const auto& state : states.items) page.items.emplace_back(reportOf(state)).sample.reset();
    return page;
}

bool removeChecked(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit)
{
    const auto keys = transaction.execute(
        "DELETE FROM import_key WHERE organization_id = $1 AND import_id = $2 AND (kind, key_text, contact_id) IN (SELECT kind, key_text, "
        "contact_id FROM import_key WHERE organization_id = $1 AND import_id = $2 LIMIT $3)",
        tenant, id, limit);
    const auto contacts =
        transaction.execute("DELETE FROM import_contact WHERE organization_id = $1 AND import_id = $2 AND contact_id IN (SELECT contact_id "
                            "FROM import_contact WHERE organization_id = $1 AND import_id = $2 LIMIT $3)",
                            tenant, id, limit);
    return keys > 0 || contacts > 0;
}

bool removeKept(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit)
{
    const auto changes =
        transaction.execute("DELETE FROM import_row WHERE organization_id = $1 AND import_id = $2 AND contact_id IN (SELECT contact_id "
                            "FROM import_row WHERE organization_id = $1 AND import_id = $2 LIMIT $3)",
                            tenant, id, limit);
    const auto errors =
        transaction.execute("DELETE FROM import_error WHERE organization_id = $1 AND import_id = $2 AND file_row IN (SELECT file_row "
                            "FROM import_error WHERE organization_id = $1 AND import_id = $2 LIMIT $3)",
                            tenant, id, limit);
    return changes > 0 || errors > 0;
}

std::vector<ImportKeyOfRow> stalledImports(Session& session, Instant since)
{
    return keysOf(session.query(
        "SELECT organization_id, import_id FROM import WHERE phase <> 'done' AND updated_at <= $1 ORDER BY updated_at LIMIT 100", since));
}

std::vector<ImportKeyOfRow> importsWithOldFiles(Session& session, Instant now)
{
    return keysOf(session.query("SELECT organization_id, import_id FROM import WHERE file_until IS NOT NULL AND file_until <= $1 "
                                "ORDER BY file_until LIMIT 100",
                                now));
}

std::vector<ImportKeyOfRow> importsToForget(Session& session, Instant now)
{
    return keysOf(session.query(
        "SELECT organization_id, import_id FROM import WHERE forget_at IS NOT NULL AND forget_at <= $1 ORDER BY forget_at LIMIT 100", now));
}

} // namespace portico::crm
