#include "imports/ImportState.h"

#include <algorithm>

namespace portico::crm
{

ImportPosition ImportState::position() const
{
    if (positionRow == 0) return {};
    return {positionRow, positionLine, static_cast<std::uint64_t>(positionOffset)};
}

void ImportState::moveTo(const ImportPosition& position)
{
    positionRow = position.row;
    positionLine = position.line;
    positionOffset = static_cast<std::int64_t>(position.offset);
}

void ImportState::startOver()
{
    moveTo({});
    total = created = updated = skipped = failed = duplicatesInFile = errorCount = 0;
    errors.clear();
}

ImportReport reportOf(const ImportState& state)
{
    ImportReport report;
    report.importId = state.importId;
    report.status = state.status;
    report.dryRun = state.dryRun;
    report.fileName = state.fileName;
    report.format = state.plan.format;
    report.preset = state.plan.preset;
    report.encoding = state.plan.encoding;
    report.delimiter = state.plan.delimiter;
    report.columns = state.plan.columns;
    report.totals = state.totals();
    report.errors = state.errors;
    report.errorCount = state.errorCount;
    if (state.errorCount > 0 && (state.status == ImportStatus::Running || state.forgetAt))
        report.errorFileUrl = "/api/contacts/imports/" + state.importId.text() + "/errors.csv";
    report.duplicatesInFile = state.duplicatesInFile;
    const auto size = std::max<std::int64_t>(state.fileBytes, 1);
    report.progress = state.status != ImportStatus::Running ? 100 : std::clamp<std::int64_t>(state.positionOffset * 100 / size, 0, 99);
    if (!state.undoneAt) report.undoUntil = state.undoUntil;
    report.undoneAt = state.undoneAt;
    report.startedAt = report.createdAt = state.startedAt;
    report.finishedAt = state.finishedAt;
    report.updatedAt = state.updatedAt;
    report.version = state.version;
    return report;
}

} // namespace portico::crm
