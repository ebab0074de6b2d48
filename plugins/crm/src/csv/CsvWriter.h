#pragma once

#include "exchange/ContactWriter.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Returns true for a cell that spreadsheets run as a formula: it starts with `=`, `@`, `+`, `-`, tab or CR and is not a number or phone
/// number. Such a cell gets an apostrophe prefix. A cell that already looks guarded gets one too, so that `withoutFormulaGuard` restores
/// every text.
bool needsFormulaGuard(std::string_view cell);

/// Removes the guarding apostrophe.
std::string_view withoutFormulaGuard(std::string_view cell);

/// Returns the intended text of a cell: without its guard, and without `="…"` around it, by which exporters keep Excel from reading a
/// number.
std::string plainCell(std::string_view cell);

/// Appends a cell of CSV (RFC 4180), quoted only if necessary, and guarded against formulas.
void appendCsvCell(std::string& out, std::string_view cell, char delimiter = ',');

/// Appends a record with its CRLF.
void appendCsvRecord(std::string& out, const std::vector<std::string>& cells, char delimiter = ',');

/// Writes a CSV file with a header and a record for each contact.
class CsvWriter : public ContactWriter
{
public:
    void begin(std::string& out) final;
    void write(std::string& out, const ContactView& contact) final;

protected:
    CsvWriter(ExportStyle style) : _style(std::move(style)) {}
    /// Fills the cells of a contact. They are empty; their number is that of the header.
    virtual void fill(const Contact& contact, std::vector<std::string>& cells) const = 0;

    const ExportStyle _style;
    std::vector<std::string> _header;

private:
    std::vector<std::string> _cells;
};

std::unique_ptr<ContactWriter> googleCsvWriter(const ExportStyle& style, const ExportShape& shape);
std::unique_ptr<ContactWriter> genericCsvWriter(const ExportStyle& style, const ExportShape& shape);
/// Returns the writer for Outlook and HubSpot.
std::unique_ptr<ContactWriter> fixedCsvWriter(const ExportStyle& style);

} // namespace portico::crm
