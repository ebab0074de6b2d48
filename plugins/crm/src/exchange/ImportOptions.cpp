#include "exchange/ImportOptions.h"

#include "portico/Json.h"

namespace portico::crm
{

ImportOptions ImportQuery::options() const
{
    ImportOptions options = *this;
    if (mappingText.empty()) return options;
    try
    {
        options.mapping = fromJson<ImportMapping>(mappingText);
    }
    catch (const Problem&)
    {
        throw Problem::invalid("mapping", "invalid_value", "Expected a JSON object of column names and field paths or null");
    }
    return options;
}

} // namespace portico::crm
