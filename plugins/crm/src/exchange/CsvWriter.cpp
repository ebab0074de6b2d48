#include "exchange/CsvWriter.h"

#include "exchange/CsvText.h"

namespace portico::crm
{

void CsvWriter::begin(std::string& out)
{
    if (_style.bom || _style.preset == ExportPreset::Outlook) out += "\xef\xbb\xbf";
    appendCsvRecord(out, _header);
}

void CsvWriter::write(std::string& out, const ContactView& view)
{
    _cells.assign(_header.size(), {});
    fill(exportedContact(view, _style), _cells);
    appendCsvRecord(out, _cells);
}

} // namespace portico::crm
