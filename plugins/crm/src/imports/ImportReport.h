#pragma once

#include "Ids.h"
#include "exchange/ImportOptions.h"
#include "exchange/ImportSource.h"
#include "records/Contact.h"

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
    /// Nothing was imported (atomic), or the import failed before its end.
    Failed
};

constexpr auto schemaOf(const ImportStatus*)
{
    using enum ImportStatus;
    return portico::choices<ImportStatus>(
        {{"running", Running}, {"completed", Completed}, {"completed_with_errors", CompletedWithErrors}, {"failed", Failed}});
}

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

constexpr auto schemaOf(const ImportTotals*)
{
    return describe(field<&ImportTotals::rows>().description("Number of processed rows: the sum of the other four"),
                    members<&ImportTotals::created, &ImportTotals::updated>(),
                    field<&ImportTotals::skipped>().description("Skipped duplicates, rows without changes, and groups"),
                    field<&ImportTotals::failed>());
}

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
    /// The value at fault, truncated to 100 characters.
    std::string value;
    bool operator==(const ImportRowError&) const = default;
};

constexpr auto schemaOf(const ImportRowError*)
{
    return describe(field<&ImportRowError::row>().description("Number of the data row, from 1"),
                    field<&ImportRowError::line>().description("Line of the file on which the row starts"),
                    members<&ImportRowError::column, &ImportRowError::field, &ImportRowError::code, &ImportRowError::message>(),
                    field<&ImportRowError::value>().description("Value of the file, truncated to 100 characters"));
}

enum class RowOutcome
{
    Created,
    Updated,
    Skipped,
    Failed
};

constexpr auto schemaOf(const RowOutcome*)
{
    using enum RowOutcome;
    return portico::choices<RowOutcome>({{"created", Created}, {"updated", Updated}, {"skipped", Skipped}, {"failed", Failed}});
}

/// The contact that a row was found to be.
struct ImportSampleMatch
{
    /// Empty: one that an earlier row of the file makes.
    std::optional<ContactId> contactId;
    std::optional<std::string> displayName;
    /// Empty: by all that the row says.
    std::optional<ImportKey> matchedOn;
    /// The earlier row.
    std::optional<std::int64_t> row;
};

constexpr auto schemaOf(const ImportSampleMatch*)
{
    return describe(field<&ImportSampleMatch::contactId>().description("null if an earlier row of the file creates the contact"),
                    field<&ImportSampleMatch::displayName>(),
                    field<&ImportSampleMatch::matchedOn>().description("null if the row has the same values"),
                    field<&ImportSampleMatch::row>());
}

/// A row of a dry run, and what would become of it. `C`: a contact that may not be there yet.
template <class C>
struct ImportSampleOf
{
    std::int64_t row = 0;
    std::int64_t line = 0;
    RowOutcome fate = RowOutcome::Skipped;
    C contact;
    std::optional<ImportSampleMatch> match;
};

template <class C>
constexpr auto importSampleFields()
{
    using Sample = ImportSampleOf<C>;
    return describe(members<&Sample::row, &Sample::line, &Sample::fate>(),
                    field<&Sample::contact>().description("Resulting contact as far as the row is valid; a new contact has no id"),
                    field<&Sample::match>().description("Existing contact that the row matches"));
}

/// Form of the sample in the API document.
struct ImportSampleForm : ImportSampleOf<Contact>
{
};

constexpr auto schemaOf(const ImportSampleForm*) { return importSampleFields<Contact>(); }

/// Form of the sample in rows and answers.
struct ImportSample : ImportSampleOf<Json>
{
};

constexpr auto schemaOf(const ImportSample*) { return importSampleFields<Json>().documentedAs<ImportSampleForm>(); }

/// Maximum errors in the report; the error file has all of them.
constexpr std::size_t reportedErrors = 100;

/// The members that the row and the report of an import share.
struct ImportFacts
{
    ImportId importId;
    ImportStatus status = ImportStatus::Running;
    bool dryRun = false;
    std::string fileName;
    std::int64_t errorCount = 0;
    std::int64_t duplicatesInFile = 0;
    std::optional<Instant> undoneAt;
    Instant startedAt{};
    std::optional<Instant> finishedAt;
    Instant updatedAt{};
    std::int64_t version = 1;
};

struct ImportReport : ImportFacts
{
    ImportFormat format = ImportFormat::Csv;
    std::optional<ImportPreset> preset;
    ImportEncoding encoding = ImportEncoding::Utf8;
    std::optional<ImportDelimiter> delimiter;
    std::vector<ImportColumn> columns;
    ImportTotals totals;
    /// The first ones; not in events, which hold no contents.
    std::optional<std::vector<ImportRowError>> errors;
    std::optional<std::string> errorFileUrl;
    /// Processed part of the file in percent.
    std::int64_t progress = 0;
    /// Set for a dry run.
    std::optional<ImportOptions> options;
    std::optional<std::vector<ImportSample>> sample;
    std::optional<Instant> fileUntil;
    std::optional<Instant> undoUntil;
    Instant createdAt{};
};

constexpr auto schemaOf(const ImportReport*)
{
    return describe(
        members<&ImportReport::importId, &ImportReport::status, &ImportReport::dryRun, &ImportReport::fileName, &ImportReport::format,
                &ImportReport::preset, &ImportReport::encoding, &ImportReport::delimiter, &ImportReport::columns, &ImportReport::totals>(),
        field<&ImportReport::errors>().omitEmpty().description("The first 100 failed rows, duplicates and warnings"),
        field<&ImportReport::errorCount>(),
        field<&ImportReport::errorFileUrl>().description("URL of a file with the rejected rows, which can be imported again"),
        field<&ImportReport::duplicatesInFile>(), field<&ImportReport::progress>().description("Percent, from 0 to 100"),
        field<&ImportReport::options>().omitEmpty().description("Options of a dry run"),
        field<&ImportReport::sample>().omitEmpty().description("First 20 rows of a dry run; absent in lists"),
        field<&ImportReport::fileUntil>().description("Time until which the dry run's file is stored; null if it is not stored"),
        field<&ImportReport::undoUntil>().description("null if nothing can be undone"),
        members<&ImportReport::undoneAt, &ImportReport::startedAt, &ImportReport::finishedAt, &ImportReport::createdAt,
                &ImportReport::updatedAt, &ImportReport::version>());
}

/// Result of an undo.
struct UndoneContacts
{
    std::int64_t deleted = 0;
    std::int64_t restored = 0;
};

constexpr auto schemaOf(const UndoneContacts*) { return describe(members<&UndoneContacts::deleted, &UndoneContacts::restored>()); }

/// Answer of POST /api/contacts/imports/{importId}/undo.
struct UndoneImport
{
    ImportId importId;
    UndoneContacts undone;
    /// Contacts that were changed since, and so were left alone.
    std::vector<ContactId> kept;
};

constexpr auto schemaOf(const UndoneImport*)
{
    return describe(members<&UndoneImport::importId, &UndoneImport::undone>(),
                    field<&UndoneImport::kept>().description("Contacts that were not restored because they were changed later"));
}

enum class ImportSort
{
    StartedAtDescending,
    StartedAt
};

constexpr auto schemaOf(const ImportSort*)
{
    using enum ImportSort;
    return portico::choices<ImportSort>({{"-startedAt", StartedAtDescending}, {"startedAt", StartedAt}});
}

/// Query of GET /api/contacts/imports.
struct ImportFilter
{
    std::vector<ImportStatus> status;
    ImportSort sort = ImportSort::StartedAtDescending;
};

constexpr auto schemaOf(const ImportFilter*) { return describe(members<&ImportFilter::status, &ImportFilter::sort>()); }

} // namespace portico::crm
