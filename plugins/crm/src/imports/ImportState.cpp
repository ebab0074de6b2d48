#include "imports/ImportState.h"

#include "portico/Json.h"

#include <algorithm>

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
    state.forgetAt = now + importKept;
    if (!state.dryRun && state.created + state.updated > 0) state.undoUntil = state.forgetAt;
}

} // namespace

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
    sample.clear();
}

ImportReport reportOf(const ImportState& state)
{
    ImportReport report;
    static_cast<ImportFacts&>(report) = state;
    report.format = state.plan.format;
    report.preset = state.plan.preset;
    report.encoding = state.plan.encoding;
    report.delimiter = state.plan.delimiter;
    report.columns = state.plan.columns;
    report.totals = state.totals();
    report.errors = state.errors;
    if (state.errorCount > 0 && (state.status == ImportStatus::Running || state.forgetAt))
        report.errorFileUrl = "/api/contacts/imports/" + state.importId.text() + "/errors.csv";
    const auto size = std::max<std::int64_t>(state.fileBytes, 1);
    report.progress = state.status != ImportStatus::Running ? 100 : std::clamp<std::int64_t>(state.positionOffset * 100 / size, 0, 99);
    if (state.dryRun)
    {
        report.options = state.options;
        report.sample = state.sample;
        report.fileUntil = state.fileUntil;
    }
    if (!state.undoneAt) report.undoUntil = state.undoUntil;
    report.createdAt = state.startedAt;
    return report;
}

std::optional<ImportErrorRow> count(ImportState& state, const ImportRow& row, const RowResult& result)
{
    countOutcome(state, result.outcome);
    if (result.duplicateInFile) ++state.duplicatesInFile;
    report(state, row, result.problems);
    report(state, row, row.warnings);
    if (result.problems.empty()) return std::nullopt;
    ImportErrorRow refused{state.importId, row.parsed.row, result.problems.front().code, messageOf(result.problems), row.parsed.cells};
    // Stores the parsed contact for formats without cells.
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
    if (state.dryRun) state.fileUntil = now + importFileKept;
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

void announce(Events& events, Session& session, Tenant tenant, std::string_view what, const ImportState& state)
{
    if (state.dryRun) return;
    auto report = reportOf(state);
    report.errors.reset();
    events.publish(session, "crm.import." + std::string(what), tenant.text(), toJson(report));
}

} // namespace portico::crm
