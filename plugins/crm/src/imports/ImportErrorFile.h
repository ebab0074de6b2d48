#pragma once

#include "imports/ImportState.h"

#include "portico/Database.h"
#include "portico/Response.h"
#include "portico/Tenant.h"

#include <memory>

namespace portico::crm
{

/// Returns the error file of an import. It has the columns of the imported file, or of generic CSV for other formats, and two more with the
/// errors, which an import ignores. Read from the database in pages while it is sent.
std::unique_ptr<BodySource> importErrorFile(Database& database, Tenant tenant, ImportState state);

} // namespace portico::crm
