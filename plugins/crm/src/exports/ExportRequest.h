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
                    field<&ExportRequest::preset>().description("Columns of a CSV file: ours, or another program's"),
                    field<&ExportRequest::bom>().description("true: a byte order mark before CSV; Outlook's has one anyway"));
}

} // namespace portico::crm
