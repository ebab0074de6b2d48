#pragma once

#include "imports/ImportTools.h"

namespace portico::crm
{

/// True while the next row of an import is to be shown in its report.
bool wantsSample(const ImportState& state) noexcept;
/// What becomes of a row, as it is shown.
ImportSample sampleOf(const ImportRow& row, const RowResult& result, const ImportScope& scope);

} // namespace portico::crm
