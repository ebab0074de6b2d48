#pragma once

#include "Ids.h"
#include "exchange/ImportSource.h"

#include "portico/Schema.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace portico::crm
{

enum class ImportStatus
{
    Running,
    Completed,
    /// At least one row failed.
    CompletedWithErrors,
    /// Nothing went in (atomic), or the import could not be brought to its end.
    Failed
};

/// For every file `rows = created + updated + skipped + failed`.
struct ImportTotals
{
    std::int64_t rows = 0;
    std::int64_t created = 0;
    std::int64_t updated = 0;
    std::int64_t skipped = 0;
    std::int64_t failed = 0;
    bool operator==(const ImportTotals&) const = default;
};

/// Why a row did not go in, or not whole.
struct ImportRowError
{
    /// 1 is the first data row.
    std::int64_t row = 0;
    /// Physical line on which the row starts, from 1.
    std::int64_t line = 0;
    std::string column;
    std::string field;
    std::string code;
    std::string message;
    /// What was found, cut after 100 characters.
    std::string value;
    bool operator==(const ImportRowError&) const = default;
};

/// How many of the errors stand in the report; all are in the error file.
constexpr std::size_t reportedErrors = 100;

struct ImportReport
{
    ImportId importId;
    ImportStatus status = ImportStatus::Running;
    bool dryRun = false;
    std::string fileName;
    ImportFormat format = ImportFormat::Csv;
    std::optional<ImportPreset> preset;
    ImportEncoding encoding = ImportEncoding::Utf8;
    std::optional<ImportDelimiter> delimiter;
    std::vector<ImportColumn> columns;
    ImportTotals totals;
    /// The first ones; not in events, which hold no contents.
    std::optional<std::vector<ImportRowError>> errors;
    std::int64_t errorCount = 0;
    std::optional<std::string> errorFileUrl;
    std::int64_t duplicatesInFile = 0;
    /// How much of the file has been dealt with, in hundredths.
    std::int64_t progress = 0;
    std::optional<Instant> undoUntil;
    std::optional<Instant> undoneAt;
    Instant startedAt{};
    std::optional<Instant> finishedAt;
    Instant createdAt{};
    Instant updatedAt{};
    std::int64_t version = 1;
};

/// What an undo did.
struct UndoneContacts
{
    std::int64_t deleted = 0;
    std::int64_t restored = 0;
};

/// Answer of POST /api/contacts/imports/{importId}/undo.
struct UndoneImport
{
    ImportId importId;
    UndoneContacts undone;
    /// Contacts that were changed since, and so were left alone.
    std::vector<ContactId> kept;
};

enum class ImportSort
{
    StartedAtDescending,
    StartedAt
};

/// Query of GET /api/contacts/imports.
struct ImportFilter
{
    std::vector<ImportStatus> status;
    ImportSort sort = ImportSort::StartedAtDescending;
};

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ImportStatus>
{
    using S = portico::crm::ImportStatus;
    static constexpr auto choices = portico::choices<S>(
        {{"running", S::Running}, {"completed", S::Completed}, {"completed_with_errors", S::CompletedWithErrors}, {"failed", S::Failed}});
};

template <>
struct portico::Schema<portico::crm::ImportTotals>
{
    using T = portico::crm::ImportTotals;
    static constexpr auto fields =
        describe(field("rows", &T::rows).description("Dealt with so far; always the sum of the other four"), field("created", &T::created),
                 field("updated", &T::updated),
                 field("skipped", &T::skipped).description("Duplicates that were left out, rows that would change nothing, and groups"),
                 field("failed", &T::failed));
};

template <>
struct portico::Schema<portico::crm::ImportRowError>
{
    using T = portico::crm::ImportRowError;
    static constexpr auto fields =
        describe(field("row", &T::row).description("1 is the first data row"),
                 field("line", &T::line).description("Physical line of the file on which the row starts"), field("column", &T::column),
                 field("field", &T::field), field("code", &T::code), field("message", &T::message),
                 field("value", &T::value).description("What was found, cut after 100 characters"));
};

template <>
struct portico::Schema<portico::crm::ImportReport>
{
    using T = portico::crm::ImportReport;
    static constexpr auto fields =
        describe(field("importId", &T::importId), field("status", &T::status), field("dryRun", &T::dryRun), field("fileName", &T::fileName),
                 field("format", &T::format), field("preset", &T::preset), field("encoding", &T::encoding),
                 field("delimiter", &T::delimiter), field("columns", &T::columns), field("totals", &T::totals),
                 field("errors", &T::errors).omitEmpty().description("The first hundred: rows that failed, duplicates, and warnings"),
                 field("errorCount", &T::errorCount),
                 field("errorFileUrl", &T::errorFileUrl).description("All rows that did not go in, as a file that can be imported again"),
                 field("duplicatesInFile", &T::duplicatesInFile), field("progress", &T::progress).description("0 to 100"),
                 field("undoUntil", &T::undoUntil).description("null: there is nothing to undo"), field("undoneAt", &T::undoneAt),
                 field("startedAt", &T::startedAt), field("finishedAt", &T::finishedAt), field("createdAt", &T::createdAt),
                 field("updatedAt", &T::updatedAt), field("version", &T::version));
};

template <>
struct portico::Schema<portico::crm::UndoneContacts>
{
    using T = portico::crm::UndoneContacts;
    static constexpr auto fields = describe(field("deleted", &T::deleted), field("restored", &T::restored));
};

template <>
struct portico::Schema<portico::crm::UndoneImport>
{
    using T = portico::crm::UndoneImport;
    static constexpr auto fields = describe(field("importId", &T::importId), field("undone", &T::undone),
                                            field("kept", &T::kept).description("Contacts that were changed since and so were left alone"));
};

template <>
struct portico::Schema<portico::crm::ImportSort>
{
    using S = portico::crm::ImportSort;
    static constexpr auto choices = portico::choices<S>({{"-startedAt", S::StartedAtDescending}, {"startedAt", S::StartedAt}});
};

template <>
struct portico::Schema<portico::crm::ImportFilter>
{
    using T = portico::crm::ImportFilter;
    static constexpr auto fields = describe(field("status", &T::status), field("sort", &T::sort));
};
