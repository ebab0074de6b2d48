#pragma once

#include "imports/ImportRowStep.h"
#include "imports/ImportState.h"
#include "imports/ImportStore.h"

#include "portico/Events.h"
#include "portico/Tenant.h"

#include <optional>

namespace portico::crm
{

/// Counts a row that was dealt with, and reports what was wrong with it; a row for the error file if it did not go in.
std::optional<ImportErrorRow> count(ImportState& state, const ImportRow& row, const RowResult& result);

/// The report of an import that ends: when every row has been dealt with, or when it failed.
void finish(ImportState& state, Instant now);
/// The same for an import that cannot be brought to its end.
void breakOff(ImportState& state, Instant now);

/// Publishes `crm.import.completed`: the report without what stands in the file. A dry run is nobody's business.
void announce(Events& events, Session& session, Tenant tenant, const ImportState& state);

} // namespace portico::crm
