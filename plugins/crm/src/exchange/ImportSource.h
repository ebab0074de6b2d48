#pragma once

#include "exchange/ImportOptions.h"
#include "records/Contact.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Fault of a row. `code` is one of the interface's row codes, or of a field of the contact interface.
struct ImportProblem
{
    /// Name of the column or property in the file; may be empty.
    std::string column;
    /// Path of the contact's member (`emails[0].address`); may be empty.
    std::string field;
    std::string code;
    std::string message;
    /// The value at fault, truncated to 100 characters.
    std::string value;
    bool operator==(const ImportProblem&) const = default;
};

constexpr auto schemaOf(const ImportProblem*)
{
    return describe(
        members<&ImportProblem::column, &ImportProblem::field, &ImportProblem::code, &ImportProblem::message, &ImportProblem::value>());
}

struct ImportedPhoto
{
    std::string contentType;
    std::string bytes;
};

/// Position in a file from which reading can continue.
struct ImportPosition
{
    /// Number of rows before it.
    std::int64_t row = 0;
    /// Physical line, from 1.
    std::int64_t line = 1;
    /// Byte in the file.
    std::uint64_t offset = 0;
    bool operator==(const ImportPosition&) const = default;
};

/// One row, card or object of a file. It is no `complete` contact yet: labels are set, but primary flags, E.164 forms and a display name
/// only as far as the file has them.
struct ParsedRow
{
    /// 1 is the first data row.
    std::int64_t row = 0;
    /// Physical line on which it starts, from 1.
    std::int64_t line = 0;
    Contact contact;
    /// Names of the contact's members that the row sets; `onDuplicate=update` overwrites them. Each flag of `doNotContact` is named
    /// separately (`doNotContact.email`).
    std::vector<std::string> members;
    /// Bodies of notes.
    std::vector<std::string> notes;
    std::optional<ImportedPhoto> photo;
    /// E-mail address of the owner; empty when the row names none.
    std::string ownerEmail;
    /// Not empty: the row fails.
    std::vector<ImportProblem> problems;
    /// The row is taken all the same.
    std::vector<ImportProblem> warnings;
    /// CSV: the cells as they were, for the error file; in UTF-8.
    std::vector<std::string> cells;
    /// True if the record is counted as skipped: a group (`KIND:group`) is not a contact.
    bool skipped = false;
    /// Start of the next record. Pass it to `openImport` to continue there.
    ImportPosition next;
};

/// File with random access. Used by one thread at a time.
class ImportFile
{
public:
    virtual ~ImportFile() = default;
    virtual std::uint64_t size() const = 0;
    /// Fills `buffer` from `offset`; the number of bytes, 0 only at the end.
    virtual std::size_t read(std::uint64_t offset, std::span<char> buffer) = 0;
};

/// A file that is in memory, which must outlive it.
class ImportText final : public ImportFile
{
public:
    explicit ImportText(std::string_view text) noexcept : _text(text) {}
    std::uint64_t size() const override { return _text.size(); }
    std::size_t read(std::uint64_t offset, std::span<char> buffer) override;

private:
    std::string_view _text;
};

struct ImportColumn
{
    std::string name;
    /// Path of the contact's member; empty: left out.
    std::optional<std::string> mappedTo;
    bool operator==(const ImportColumn&) const = default;
};

constexpr auto schemaOf(const ImportColumn*) { return describe(members<&ImportColumn::name, &ImportColumn::mappedTo>()); }

/// Parameters for reading a file, requested or detected. Stored as JSON (`toJson`, `fromJson`), so that a resumed run reads in the same
/// way.
struct ImportPlan
{
    ImportFormat format = ImportFormat::Csv;
    /// CSV only, as delimiter, dateFormat and columns.
    std::optional<ImportPreset> preset;
    ImportEncoding encoding = ImportEncoding::Utf8;
    std::optional<ImportDelimiter> delimiter;
    bool hasHeader = true;
    /// Auto: the order of day and month is unknown, so ambiguous dates are rejected.
    ImportDates dateFormat = ImportDates::Auto;
    std::vector<ImportColumn> columns;
    /// True for big-endian UTF-16.
    bool bigEndian = false;
    /// Start of the records, in bytes and physical lines.
    std::int64_t dataOffset = 0;
    std::int64_t dataLine = 1;
    /// CSV: lines with text above the header, which are left out.
    std::optional<std::int64_t> linesAbove;
    bool operator==(const ImportPlan&) const = default;
};

constexpr auto schemaOf(const ImportPlan*)
{
    return describe(
        members<&ImportPlan::format, &ImportPlan::preset, &ImportPlan::encoding, &ImportPlan::delimiter, &ImportPlan::hasHeader,
                &ImportPlan::dateFormat, &ImportPlan::columns, &ImportPlan::bigEndian, &ImportPlan::dataOffset, &ImportPlan::dataLine>(),
        field<&ImportPlan::linesAbove>().omitEmpty());
}

/// Reads records one after the other, in constant memory. Used by one thread at a time.
class ImportReader
{
public:
    virtual ~ImportReader() = default;
    /// Reads the next record, and reuses its memory; returns false at the end. Faults are stored in the record; bad data throws nothing.
    virtual bool next(ParsedRow& record) = 0;
};

/// Returns the CSV column of a member (`emails[0].address`), else a column of its list, for faults that are found later. Empty if there is
/// none.
std::string_view columnOf(const ImportPlan& plan, std::string_view field);

} // namespace portico::crm
