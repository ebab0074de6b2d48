#pragma once

#include "imports/ImportTools.h"

namespace portico::crm
{

/// Returns true while the report's sample needs more rows.
bool wantsSample(const ImportState& state) noexcept;
/// Returns the preview of a row.
ImportSample sampleOf(const ImportRow& row, const RowResult& result, const ImportScope& scope);

} // namespace portico::crm
