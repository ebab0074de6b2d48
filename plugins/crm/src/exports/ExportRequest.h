#pragma once

#include "exchange/ContactWriter.h"
#include "records/ContactRequests.h"

namespace portico::crm
{

/// Query of GET /api/contacts/export: which contacts, as in their list, and what kind of file.
struct ExportRequest : ContactFilter
{
    ExportFormat format = ExportFormat::Csv;
    ExportPreset preset = ExportPreset::Generic;
    bool bom = false;

    ExportStyle style() const { return {format, preset, bom, fields}; }
};

constexpr auto schemaOf(const ExportRequest*)
{
    return describe(contactFilters(), field<&ExportRequest::format>(),
                    field<&ExportRequest::preset>().description("Program whose column names the CSV file uses"),
                    field<&ExportRequest::bom>().description("Adds a byte order mark to CSV files; Outlook's files always have one"));
}

} // namespace portico::crm
