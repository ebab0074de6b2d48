#include "imports/ImportTally.h"

#include "imports/ImportSettings.h"

#include "portico/Json.h"

namespace portico::crm
{

namespace
{

void countOutcome(ImportState& state, RowOutcome outcome)
{
    ++state.total;
    switch (outcome)
    {
    case RowOutcome::Created:
        ++state.created;
        break;
    case RowOutcome::Updated:
        ++state.updated;
        break;
    case RowOutcome::Skipped:
        ++state.skipped;
        break;
    case RowOutcome::Failed:
        ++state.failed;
        break;
    }
}

void report(ImportState& state, const ImportRow& row, const std::vector<ImportProblem>& problems)
{
    for (const auto& problem : problems)
    {
        ++state.errorCount;
        if (state.errors.size() >= reportedErrors) continue;
        state.errors.push_back(
            {row.parsed.row, row.parsed.line, problem.column, problem.field, problem.code, problem.message, problem.value});
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

void end(ImportState& state, Instant now)
{
    state.phase = ImportPhase::Clear;
    state.finishedAt = now;
    state.forgetAt = now + ImportSettings::kept;
    if (!state.dryRun && state.created + state.updated > 0) state.undoUntil = state.forgetAt;
}

} // namespace

std::optional<ImportErrorRow> count(ImportState& state, const ImportRow& row, const RowResult& result)
{
    countOutcome(state, result.outcome);
    if (result.duplicateInFile) ++state.duplicatesInFile;
    report(state, row, result.problems);
    report(state, row, row.warnings);
    if (result.problems.empty()) return std::nullopt;
    ImportErrorRow refused{row.parsed.row, result.problems.front().code, messageOf(result.problems), row.parsed.cells};
    // Of files that have no cells, what could be read.
    if (state.plan.format != ImportFormat::Csv) refused.cells = {toJson(row.parsed.contact)};
    return refused;
}

void finish(ImportState& state, Instant now)
{
    state.status = state.failed > 0 ? ImportStatus::CompletedWithErrors : ImportStatus::Completed;
    if (state.options.atomic && state.failed > 0)
    {
        // One bad row keeps all others out.
        state.status = ImportStatus::Failed;
        state.created = state.updated = 0;
        state.skipped = state.total - state.failed;
    }
    end(state, now);
}

void breakOff(ImportState& state, Instant now)
{
    state.status = ImportStatus::Failed;
    ++state.errorCount;
    if (state.errors.size() < reportedErrors)
        state.errors.push_back({state.positionRow + 1,
                                state.positionLine,
                                {},
                                {},
                                "internal",
                                "The import broke off before this row. The rows before it were dealt with.",
                                {}});
    end(state, now);
}

void announce(Events& events, Session& session, Tenant tenant, const ImportState& state)
{
    if (state.dryRun) return;
    auto report = reportOf(state);
    report.errors.reset();
    events.publish(session, "crm.import.completed", tenant.text(), toJson(report));
}

} // namespace portico::crm
