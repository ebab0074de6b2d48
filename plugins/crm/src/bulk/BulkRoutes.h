#pragma once

#include "bulk/BulkService.h"

#include "portico/Routes.h"

namespace portico::crm
{

/// Declares /api/contacts/bulk. The service outlives the routes.
void declareBulk(Routes& routes, BulkService& service);

} // namespace portico::crm
