#pragma once

#include "contacts/ContactRequests.h"
#include "exchange/ExportStyle.h"

#include <tuple>

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

} // namespace portico::crm

template <>
struct portico::Schema<portico::crm::ExportRequest>
{
    using T = portico::crm::ExportRequest;
    static constexpr auto fields = std::tuple_cat(
        portico::Schema<portico::crm::ContactFilter>::filters,
        describe(field("format", &T::format), field("preset", &T::preset).description("Columns of a CSV file: ours, or another program's"),
                 field("bom", &T::bom).description("true: a byte order mark before CSV; Outlook's has one anyway")));
};
