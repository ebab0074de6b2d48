#pragma once

#include "exchange/ContactWriter.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

/// Spreadsheets run a cell that starts with `=`, `@`, `+`, `-`, tab or CR as a formula. Such a cell gets an apostrophe in front, unless it
/// is a number or a phone number; so does a cell that already looks guarded, so that `withoutFormulaGuard` gives back every text as it was.
bool needsFormulaGuard(std::string_view cell);

/// The text without the apostrophe that guards it.
std::string_view withoutFormulaGuard(std::string_view cell);

/// The text of a cell as it was meant: without its guard, and of `="0049…"`, by which exporters keep Excel from reading a number, what is
/// between the quotes.
std::string plainCell(std::string_view cell);

/// Appends a cell of CSV (RFC 4180), in quotes only where it must be, guarded against being run as a formula.
void appendCsvCell(std::string& out, std::string_view cell, char delimiter = ',');

/// Appends a record with its CRLF.
void appendCsvRecord(std::string& out, const std::vector<std::string>& cells, char delimiter = ',');

/// A CSV file: a header, and a record for each contact.
class CsvWriter : public ContactWriter
{
public:
    void begin(std::string& out) final;
    void write(std::string& out, const ContactView& contact) final;

protected:
    CsvWriter(ExportStyle style) : _style(std::move(style)) {}
    /// Fills the cells of a contact, which are empty, as many as the header has.
    virtual void fill(const Contact& contact, std::vector<std::string>& cells) const = 0;

    const ExportStyle _style;
    std::vector<std::string> _header;

private:
    std::vector<std::string> _cells;
};

std::unique_ptr<ContactWriter> googleCsvWriter(const ExportStyle& style, const ExportShape& shape);
std::unique_ptr<ContactWriter> genericCsvWriter(const ExportStyle& style, const ExportShape& shape);
/// Of Outlook and HubSpot.
std::unique_ptr<ContactWriter> fixedCsvWriter(const ExportStyle& style);

} // namespace portico::crm
