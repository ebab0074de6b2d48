#include "imports/ImportSettings.h"

namespace portico::crm
{

ImportSettings readImportSettings(const Config& config)
{
    ImportSettings settings;
    settings.fileBytes = static_cast<std::uint64_t>(config.integer("crm.imports.maxBytes"));
    settings.rows = config.integer("crm.imports.maxRows");
    settings.callingCode = readContactSettings(config).callingCode;
    return settings;
}

} // namespace portico::crm
