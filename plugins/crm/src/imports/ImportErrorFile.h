#pragma once

#include "imports/ImportState.h"

#include "portico/Database.h"
#include "portico/Response.h"
#include "portico/Tenant.h"

#include <memory>

namespace portico::crm
{

/// The error file of an import: the columns of its file, or of generic CSV where it had none, and two more with what is wrong, which an
/// import leaves aside. Read from the database in pages while it is sent.
std::unique_ptr<BodySource> importErrorFile(Database& database, Tenant tenant, ImportState state);

} // namespace portico::crm
