#pragma once

#include "exchange/Encodings.h"

#include <memory>

namespace portico::crm
{

/// Returns a reader of a JSON array, or of one JSON object a line, for openImport.
std::unique_ptr<ImportReader> readJsonContacts(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);

/// @throws Problem as planImport
ImportPlan planJson(ImportFile& file, const TextEncoding& encoding, ImportFormat format);

/// True for an array, or an object with the member `contacts`.
bool isContactArray(ImportFile& file, const TextEncoding& encoding);

} // namespace portico::crm
