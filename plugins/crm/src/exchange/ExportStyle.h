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

enum class ExportPreset
{
    Generic,
    Google,
    Outlook,
    Hubspot
};

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

template <>
struct portico::Schema<portico::crm::ExportFormat>
{
    using S = portico::crm::ExportFormat;
    static constexpr auto choices = portico::choices<S>({{"csv", S::Csv}, {"vcard", S::Vcard}, {"json", S::Json}, {"ndjson", S::Ndjson}});
};

template <>
struct portico::Schema<portico::crm::ExportPreset>
{
    using S = portico::crm::ExportPreset;
    static constexpr auto choices =
        portico::choices<S>({{"generic", S::Generic}, {"google", S::Google}, {"outlook", S::Outlook}, {"hubspot", S::Hubspot}});
};
