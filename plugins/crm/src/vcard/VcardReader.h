#pragma once

#include "exchange/Encodings.h"

#include <memory>

namespace portico::crm
{

/// Returns a reader of vCards 2.1, 3.0 and 4.0 for openImport.
std::unique_ptr<ImportReader> readVcards(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);

/// @throws Problem as planImport
ImportPlan planVcard(const TextEncoding& encoding, const ImportOptions& options);

} // namespace portico::crm
