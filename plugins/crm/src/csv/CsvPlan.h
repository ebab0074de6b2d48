#pragma once

#include "exchange/ContactBuilder.h"
#include "exchange/Encodings.h"

#include <optional>
#include <vector>

namespace portico::crm
{

/// Looks at the header, the delimiter and the dates of a CSV file. @throws Problem as planImport
ImportPlan planCsv(ImportFile& file, const TextEncoding& encoding, const ImportOptions& options);

/// How each column of a plan is taken; empty for one that is left out.
std::vector<std::optional<Binding>> bindingsOf(const ImportPlan& plan);

char delimiterOf(ImportDelimiter delimiter);

} // namespace portico::crm
