#include "imports/ImportStore.h"

#include "data/ManyRows.h"
#include "data/SqlText.h"

#include <charconv>

namespace portico::crm
{

namespace
{

/// `1795224888705\nimp_…`: start and id of the last import of a page. The SDK signs cursors, so this one is ours.
std::string cursorOf(const ImportReport& report) { return std::to_string(toMillis(report.startedAt)) + '\n' + report.importId.text(); }

void addImportCursor(SqlConditions& conditions, std::string_view cursor, bool descending)
{
    if (cursor.empty()) return;
    const auto end = cursor.find('\n');
    std::int64_t started = 0;
    std::from_chars(cursor.data(), cursor.data() + end, started);
    conditions.add(std::string("(started_at, import_id) ") + (descending ? "<" : ">") + " (" + conditions.bind(started) + ", " +
                   conditions.bind(std::string(cursor.substr(end + 1))) + ")");
}

void addStatus(SqlConditions& conditions, const std::vector<ImportStatus>& wanted)
{
    std::vector<std::string> words;
    for (const auto status : wanted) words.emplace_back(toString(status));
    if (!words.empty()) conditions.addIn("status", words);
}

std::vector<ImportKeyOfRow> keysOf(Rows rows)
{
    std::vector<ImportKeyOfRow> keys;
    for (Row row : rows) keys.push_back({row.get<std::string>(0), row.get<ImportId>(1)});
    return keys;
}

} // namespace

ImportStore::ImportStore() : _select("SELECT " + columns<ImportState>() + " FROM import WHERE organization_id = $1 AND import_id = $2") {}

void ImportStore::insert(Transaction& transaction, Tenant tenant, const ImportState& state) const
{
    transaction.insert("import", state, {"organization_id"}, tenant);
}

void ImportStore::update(Transaction& transaction, Tenant tenant, const ImportState& state) const
{
    transaction.update("import", state, {}, {"organization_id", "import_id"}, tenant, state.importId);
}

std::optional<ImportState> ImportStore::find(Session& session, Tenant tenant, const ImportId& id) const
{
    return session.one<ImportState>(_select, tenant, id);
}

std::optional<ImportState> ImportStore::load(Transaction& transaction, Tenant tenant, const ImportId& id) const
{
    return transaction.one<ImportState>(_select + std::string(forUpdate(transaction)), tenant, id);
}

Page<ImportReport> ImportStore::list(Session& session, Tenant tenant, const ImportFilter& filter, const Paging& paging) const
{
    const bool descending = filter.sort == ImportSort::StartedAtDescending;
    Page<ImportReport> page;
    SqlConditions conditions;
    conditions.add("organization_id = " + conditions.bind(std::string(tenant.text())));
    addStatus(conditions, filter.status);
    if (paging.includeTotal)
        for (Row row : session.queryValues("SELECT count(*) FROM import WHERE " + conditions.text(), conditions.values()))
            page.total = row.get<std::int64_t>(0);

    addImportCursor(conditions, paging.cursor, descending);
    const std::string direction = descending ? " DESC" : "";
    const auto limit = conditions.bind(std::int64_t{paging.limit} + 1);
    const std::string sql = "SELECT " + columns<ImportState>() + " FROM import WHERE " + conditions.text() + " ORDER BY started_at" +
                            direction + ", import_id" + direction + " LIMIT " + limit;
    for (Row row : session.queryValues(sql, conditions.values()))
    {
        if (page.items.size() == static_cast<std::size_t>(paging.limit))
        {
            page.nextCursor = cursorOf(page.items.back());
            break;
        }
        page.items.push_back(reportOf(row.as<ImportState>()));
    }
    return page;
}

void ImportStore::insertErrors(Transaction& transaction, Tenant tenant, const ImportId& id, const std::vector<ImportErrorRow>& rows) const
{
    ManyRows errors("import_error (organization_id, import_id, file_row, code, message, cells)", 6);
    for (const auto& row : rows) errors.add(tenant, id, row.fileRow, row.code, row.message, errors.keep(toJson(row.cells)));
    errors.write(transaction);
}

std::vector<ImportErrorRow> ImportStore::refusedRows(Session& session, Tenant tenant, const ImportId& id, std::int64_t after,
                                                     std::int64_t limit) const
{
    return session.all<ImportErrorRow>(
        "SELECT file_row, code, message, cells FROM import_error WHERE organization_id = $1 AND import_id = $2 "
        "AND file_row > $3 ORDER BY file_row LIMIT $4",
        tenant, id, after, limit);
}

void ImportStore::removeErrors(Transaction& transaction, Tenant tenant, const ImportId& id) const
{
    transaction.execute("DELETE FROM import_error WHERE organization_id = $1 AND import_id = $2", tenant, id);
}

void ImportStore::recordChange(Transaction& transaction, Tenant tenant, const ImportId& id, const ImportedChange& change) const
{
    const auto before = change.documentBefore ? std::optional(toJson(*change.documentBefore)) : std::nullopt;
    transaction.execute(
        "INSERT INTO import_row (organization_id, import_id, contact_id, file_row, version_after, placed, document_before) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (organization_id, import_id, contact_id) DO UPDATE SET "
        "file_row = excluded.file_row, version_after = excluded.version_after, placed = import_row.placed OR excluded.placed",
        tenant, id, change.contactId, change.fileRow, change.versionAfter, change.placed, before);
}

std::vector<ImportedChange> ImportStore::changes(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t beforeRow,
                                                 std::int64_t limit) const
{
    return transaction.all<ImportedChange>(
        "SELECT contact_id, file_row, version_after, placed, document_before FROM import_row WHERE organization_id = $1 "
        "AND import_id = $2 AND file_row < $3 AND document_before IS NOT NULL ORDER BY file_row DESC LIMIT $4",
        tenant, id, beforeRow, limit);
}

std::optional<ImportedChange> ImportStore::changeOf(Transaction& transaction, Tenant tenant, const ImportId& id,
                                                    const ContactId& contact) const
{
    return transaction.one<ImportedChange>("SELECT contact_id, file_row, version_after, placed, document_before FROM import_row "
                                           "WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3",
                                           tenant, id, contact);
}

std::optional<std::int64_t> ImportStore::versionAfter(Transaction& transaction, Tenant tenant, const ImportId& id,
                                                      const ContactId& contact) const
{
    return transaction.value<std::int64_t>(
        "SELECT version_after FROM import_row WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", tenant, id, contact);
}

void ImportStore::forgetChange(Transaction& transaction, Tenant tenant, const ImportId& id, const ContactId& contact) const
{
    transaction.execute("DELETE FROM import_row WHERE organization_id = $1 AND import_id = $2 AND contact_id = $3", tenant, id, contact);
}

bool ImportStore::removeChecked(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit) const
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

bool ImportStore::removeKept(Transaction& transaction, Tenant tenant, const ImportId& id, std::int64_t limit) const
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

std::vector<ImportKeyOfRow> ImportStore::stalled(Session& session, Instant since) const
{
    return keysOf(session.query(
        "SELECT organization_id, import_id FROM import WHERE phase <> 'done' AND updated_at <= $1 ORDER BY updated_at LIMIT 100", since));
}

std::vector<ImportKeyOfRow> ImportStore::toForget(Session& session, Instant now) const
{
    return keysOf(session.query(
        "SELECT organization_id, import_id FROM import WHERE forget_at IS NOT NULL AND forget_at <= $1 ORDER BY forget_at LIMIT 100", now));
}

} // namespace portico::crm
