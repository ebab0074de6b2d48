#pragma once

#include "exchange/ImportOptions.h"
#include "imports/ImportReport.h"

namespace portico::crm
{

/// What an import does at the moment. Each step of it is a transaction, and what is next is written in it.
enum class ImportPhase
{
    /// Deals with rows without writing contacts: a dry run, or the first look of an atomic import.
    Check,
    Store,
    /// Takes back what an atomic import stored before a row failed that had passed the check: data had changed meanwhile.
    Revert,
    /// Forgets what the check had found, and checks again.
    Recheck,
    /// The report is final; what was only needed until then goes.
    Clear,
    Done
};

/// A row of the table `import`.
struct ImportRecord
{
    ImportId importId;
    ImportStatus status = ImportStatus::Running;
    ImportPhase phase = ImportPhase::Store;
    bool dryRun = false;
    std::string fileName;
    std::int64_t fileBytes = 0;
    /// The file, until the import is done.
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
    std::int64_t duplicatesInFile = 0;
    std::int64_t errorCount = 0;
    std::vector<ImportRowError> errors;
    std::string createdBy;
    Instant startedAt{};
    Instant updatedAt{};
    std::optional<Instant> finishedAt;
    std::optional<Instant> undoUntil;
    std::optional<Instant> undoneAt;
    std::int64_t undoneDeleted = 0;
    std::int64_t undoneRestored = 0;
    std::optional<Instant> forgetAt;
    std::int64_t version = 1;

    ImportTotals totals() const { return {total, created, updated, skipped, failed}; }
    /// The default reads from the start.
    ImportPosition position() const;
    void moveTo(const ImportPosition& position);
    /// As if no row had been dealt with.
    void startOver();
};

/// The report as it is answered.
ImportReport reportOf(const ImportRecord& record);

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ImportPhase>
{
    using S = portico::crm::ImportPhase;
    static constexpr auto choices = portico::choices<S>(
        {{"check", S::Check}, {"store", S::Store}, {"revert", S::Revert}, {"recheck", S::Recheck}, {"clear", S::Clear}, {"done", S::Done}});
};

template <>
struct portico::Schema<portico::crm::ImportRecord>
{
    using T = portico::crm::ImportRecord;
    static constexpr auto fields =
        describe(field("importId", &T::importId), field("status", &T::status), field("phase", &T::phase), field("dryRun", &T::dryRun),
                 field("fileName", &T::fileName), field("fileBytes", &T::fileBytes), field("blobKey", &T::blobKey),
                 field("options", &T::options), field("plan", &T::plan), field("positionRow", &T::positionRow),
                 field("positionLine", &T::positionLine), field("positionOffset", &T::positionOffset), field("total", &T::total),
                 field("created", &T::created), field("updated", &T::updated), field("skipped", &T::skipped), field("failed", &T::failed),
                 field("duplicatesInFile", &T::duplicatesInFile), field("errorCount", &T::errorCount), field("errors", &T::errors),
                 field("createdBy", &T::createdBy), field("startedAt", &T::startedAt), field("updatedAt", &T::updatedAt),
                 field("finishedAt", &T::finishedAt), field("undoUntil", &T::undoUntil), field("undoneAt", &T::undoneAt),
                 field("undoneDeleted", &T::undoneDeleted), field("undoneRestored", &T::undoneRestored), field("forgetAt", &T::forgetAt),
                 field("version", &T::version));
};
