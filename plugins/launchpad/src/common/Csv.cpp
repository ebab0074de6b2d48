#include "common/Csv.h"

#include "portico/Results.h"

#include <utility>

namespace portico::launchpad
{

void addCsvRow(std::string& file, std::initializer_list<std::string_view> cells)
{
    bool first = true;
    for (const auto cell : cells)
    {
        if (!first) file += ',';
        first = false;
        file += '"';
        if (!cell.empty() && std::string_view("=+-@\t\r").find(cell.front()) != std::string_view::npos) file += '\'';
        for (const char each : cell)
        {
            if (each == '"') file += '"';
            file += each;
        }
        file += '"';
    }
    file += "\r\n";
}

Response csvFile(std::string text, std::string_view name)
{
    Response response;
    response.contentType = "text/csv; charset=utf-8";
    response.body = std::move(text);
    response.addHeader("Content-Disposition", attachmentDisposition(name));
    return response;
}

} // namespace portico::launchpad
