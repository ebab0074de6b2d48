#pragma once

#include "portico/Schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

enum class ExportFormat
{
    Csv,
    Vcard,
    Json,
    Ndjson
};

constexpr auto schemaOf(const ExportFormat*)
{
    using enum ExportFormat;
    return portico::choices<ExportFormat>({{"csv", Csv}, {"vcard", Vcard}, {"json", Json}, {"ndjson", Ndjson}});
}

enum class ExportPreset
{
    Generic,
    Google,
    Outlook,
    Hubspot
};

constexpr auto schemaOf(const ExportPreset*)
{
    using enum ExportPreset;
    return portico::choices<ExportPreset>({{"generic", Generic}, {"google", Google}, {"outlook", Outlook}, {"hubspot", Hubspot}});
}

/// What kind of file is written.
struct ExportStyle
{
    ExportFormat format = ExportFormat::Csv;
    ExportPreset preset = ExportPreset::Generic;
    /// A byte order mark before CSV; Outlook gets one anyway.
    bool bom = false;
    /// Members to write; empty: all that can be read again.
    std::vector<std::string> fields;

    bool wants(std::string_view member) const;
};

} // namespace portico::crm
