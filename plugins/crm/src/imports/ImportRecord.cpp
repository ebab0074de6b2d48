#include "imports/ImportRecord.h"

#include <algorithm>

namespace portico::crm
{

ImportPosition ImportRecord::position() const
{
    if (positionRow == 0) return {};
    return {positionRow, positionLine, static_cast<std::uint64_t>(positionOffset)};
}

void ImportRecord::moveTo(const ImportPosition& position)
{
    positionRow = position.row;
    positionLine = position.line;
    positionOffset = static_cast<std::int64_t>(position.offset);
}

void ImportRecord::startOver()
{
    moveTo({});
    total = created = updated = skipped = failed = duplicatesInFile = errorCount = 0;
    errors.clear();
}

ImportReport reportOf(const ImportRecord& record)
{
    ImportReport report;
    report.importId = record.importId;
    report.status = record.status;
    report.dryRun = record.dryRun;
    report.fileName = record.fileName;
    report.format = record.plan.format;
    report.preset = record.plan.preset;
    report.encoding = record.plan.encoding;
    report.delimiter = record.plan.delimiter;
    report.columns = record.plan.columns;
    report.totals = record.totals();
    report.errors = record.errors;
    report.errorCount = record.errorCount;
    if (record.errorCount > 0 && (record.status == ImportStatus::Running || record.forgetAt))
        report.errorFileUrl = "/api/contacts/imports/" + record.importId.text() + "/errors.csv";
    report.duplicatesInFile = record.duplicatesInFile;
    const auto size = std::max<std::int64_t>(record.fileBytes, 1);
    report.progress = record.status != ImportStatus::Running ? 100 : std::clamp<std::int64_t>(record.positionOffset * 100 / size, 0, 99);
    if (!record.undoneAt) report.undoUntil = record.undoUntil;
    report.undoneAt = record.undoneAt;
    report.startedAt = report.createdAt = record.startedAt;
    report.finishedAt = record.finishedAt;
    report.updatedAt = record.updatedAt;
    report.version = record.version;
    return report;
}

} // namespace portico::crm
