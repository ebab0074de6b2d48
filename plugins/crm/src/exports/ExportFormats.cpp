#include "exports/ExportFormats.h"

#include "csv/CsvWriter.h"
#include "vcard/VcardWriter.h"
#include "json/JsonWriter.h"

namespace portico::crm
{

std::unique_ptr<ContactWriter> makeContactWriter(const ExportStyle& style, const ExportShape& shape)
{
    if (style.format == ExportFormat::Vcard) return vcardWriter(style);
    if (style.format != ExportFormat::Csv) return jsonWriter(style);
    if (style.preset == ExportPreset::Google) return googleCsvWriter(style, shape);
    if (style.preset == ExportPreset::Generic) return genericCsvWriter(style, shape);
    return fixedCsvWriter(style);
}

} // namespace portico::crm
