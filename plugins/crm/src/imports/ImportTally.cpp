#include "imports/ImportTally.h"

#include "imports/ImportSettings.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

void countOutcome(ImportRecord& record, RowOutcome outcome)
{
    ++record.total;
    switch (outcome)
    {
    case RowOutcome::Created:
        ++record.created;
        break;
    case RowOutcome::Updated:
        ++record.updated;
        break;
    case RowOutcome::Skipped:
        ++record.skipped;
        break;
    case RowOutcome::Failed:
        ++record.failed;
        break;
    }
}

void report(ImportRecord& record, const ImportRow& row, const std::vector<ImportProblem>& problems)
{
    for (const auto& problem : problems)
    {
        ++record.errorCount;
        if (record.errors.size() >= reportedErrors) continue;
        record.errors.push_back(
            {row.record.row, row.record.line, problem.column, problem.field, problem.code, problem.message, problem.value});
    }
}

/// `E-mail: Not an e-mail address; Birthday: …`
std::string messageOf(const std::vector<ImportProblem>& problems)
{
    std::string text;
    for (const auto& problem : problems)
    {
        if (!text.empty()) text += "; ";
        const auto& where = problem.column.empty() ? problem.field : problem.column;
        if (!where.empty()) (text += where) += ": ";
        text += problem.message;
    }
    return text;
}

void end(ImportRecord& record, Instant now)
{
    record.phase = ImportPhase::Clear;
    record.finishedAt = now;
    record.forgetAt = now + ImportSettings::kept;
    if (!record.dryRun && record.created + record.updated > 0) record.undoUntil = record.forgetAt;
}

} // namespace

std::optional<ImportErrorRow> count(ImportRecord& record, const ImportRow& row, const RowResult& result)
{
    countOutcome(record, result.outcome);
    if (result.duplicateInFile) ++record.duplicatesInFile;
    report(record, row, result.problems);
    report(record, row, row.warnings);
    if (result.problems.empty()) return std::nullopt;
    ImportErrorRow refused{row.record.row, result.problems.front().code, messageOf(result.problems), row.record.cells};
    // Of files that have no cells, what could be read.
    if (record.plan.format != ImportFormat::Csv) refused.cells = {toJson(row.record.contact)};
    return refused;
}

void finish(ImportRecord& record, Instant now)
{
    record.status = record.failed > 0 ? ImportStatus::CompletedWithErrors : ImportStatus::Completed;
    if (record.options.atomic && record.failed > 0)
    {
        // One bad row keeps all others out.
        record.status = ImportStatus::Failed;
        record.created = record.updated = 0;
        record.skipped = record.total - record.failed;
    }
    end(record, now);
}

void breakOff(ImportRecord& record, Instant now)
{
    record.status = ImportStatus::Failed;
    ++record.errorCount;
    if (record.errors.size() < reportedErrors)
        record.errors.push_back({record.positionRow + 1,
                                 record.positionLine,
                                 {},
                                 {},
                                 "internal",
                                 "The import broke off before this row. The rows before it were dealt with.",
                                 {}});
    end(record, now);
}

void announce(Events& events, Session& session, Tenant tenant, const ImportRecord& record)
{
    if (record.dryRun) return;
    auto report = reportOf(record);
    report.errors.reset();
    events.publish(session, "crm.import.completed", tenant.text(), toJson(report));
}

} // namespace portico::crm
