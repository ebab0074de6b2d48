#pragma once

#include "imports/ImportReport.h"
#include "imports/ImportRow.h"
#include "records/Contact.h"

#include "portico/Events.h"
#include "portico/Table.h"

#include <chrono>

namespace portico::crm
{

/// Phase of an import. Each step is a transaction, which stores the next phase.
enum class ImportPhase
{
    /// Processes rows without writing contacts: a dry run, or the check of an atomic import.
    Check,
    Store,
    /// Reverts what an atomic import has stored, because a row failed after the check: data has changed in between.
    Revert,
    /// Discards the results of the check, and checks again.
    Recheck,
    /// The report is final. Deletes data that only the run needed.
    Clear,
    Done
};

constexpr auto schemaOf(const ImportPhase*)
{
    using enum ImportPhase;
    return portico::choices<ImportPhase>(
        {{"check", Check}, {"store", Store}, {"revert", Revert}, {"recheck", Recheck}, {"clear", Clear}, {"done", Done}});
}

/// A row of the table `import`.
struct ImportState : ImportFacts
{
    ImportPhase phase = ImportPhase::Store;
    std::int64_t fileBytes = 0;
    /// The file, until the import is done, or of a dry run until `fileUntil`.
    std::optional<std::string> blobKey;
    ImportOptions options;
    ImportPlan plan;
    std::int64_t positionRow = 0;
    std::int64_t positionLine = 1;
    std::int64_t positionOffset = 0;
    std::int64_t total = 0;
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    std::vector<ImportRowError> errors;
    std::string createdBy;
    std::optional<Instant> undoUntil;
    std::int64_t undoneDeleted = 0;
    std::int64_t undoneRestored = 0;
    std::optional<Instant> forgetAt;
    /// The first rows of a dry run, and until when its file is kept.
    std::vector<ImportSample> sample;
    std::optional<Instant> fileUntil;

    ImportTotals totals() const { return {total, created, updated, skipped, failed}; }
    /// The default reads from the start.
    ImportPosition position() const;
    void moveTo(const ImportPosition& position);
    /// Resets the import to its first row.
    void startOver();
};

constexpr auto schemaOf(const ImportState*)
{
    return describe(
        members<&ImportState::importId, &ImportState::status, &ImportState::phase, &ImportState::dryRun, &ImportState::fileName,
                &ImportState::fileBytes, &ImportState::blobKey, &ImportState::options, &ImportState::plan, &ImportState::positionRow,
                &ImportState::positionLine, &ImportState::positionOffset, &ImportState::total, &ImportState::created, &ImportState::updated,
                &ImportState::skipped, &ImportState::failed, &ImportState::duplicatesInFile, &ImportState::errorCount, &ImportState::errors,
                &ImportState::createdBy, &ImportState::startedAt, &ImportState::updatedAt, &ImportState::finishedAt,
                &ImportState::undoUntil, &ImportState::undoneAt, &ImportState::undoneDeleted, &ImportState::undoneRestored,
                &ImportState::forgetAt, &ImportState::sample, &ImportState::fileUntil, &ImportState::version>());
}

inline constexpr Table<ImportState, ImportId> importTable{"import", &ImportState::importId};

/// Changes an import, also where the change is only that it has moved. @throws as Table::change
template <class F>
ImportState changeImport(Transaction& transaction, Tenant tenant, const ImportId& id, Instant now, F&& change)
{
    return importTable.change(transaction, tenant, id, IfMatch(""), Stamp{now},
                              [&](ImportState& state)
                              {
                                  state.updatedAt = now;
                                  change(state);
                              });
}

/// Returns the report for answers.
ImportReport reportOf(const ImportState& state);

/// A row of the file that did not go in, for the error file.
struct ImportErrorRow
{
    ImportId importId;
    std::int64_t fileRow = 0;
    std::string code;
    std::string message;
    /// CSV: the cells of the row; else one with the contact, as JSON, as far as it could be read.
    std::vector<std::string> cells;
};

constexpr auto schemaOf(const ImportErrorRow*)
{
    return describe(members<&ImportErrorRow::importId, &ImportErrorRow::fileRow, &ImportErrorRow::code, &ImportErrorRow::message,
                            &ImportErrorRow::cells>());
}

inline constexpr Table importErrorTable{"import_error", &ImportErrorRow::importId, &ImportErrorRow::fileRow};

/// Counts a processed row, and reports its faults. @return a row for the error file if it was rejected
std::optional<ImportErrorRow> count(ImportState& state, const ImportRow& row, const RowResult& result);

/// How long an import can be undone, and its error file be read.
constexpr std::chrono::hours importKept{30 * 24};
/// How long a dry run can be run again.
constexpr std::chrono::hours importFileKept{24};
/// The report of an import that ends: when every row has been dealt with, or when it failed.
void finish(ImportState& state, Instant now);
/// Ends an import that has failed.
void breakOff(ImportState& state, Instant now);

/// Publishes `crm.import.completed` or `crm.import.undone`: the report without contents of the file. A dry run publishes nothing.
void announce(Events& events, Session& session, Tenant tenant, std::string_view what, const ImportState& state);

} // namespace portico::crm
