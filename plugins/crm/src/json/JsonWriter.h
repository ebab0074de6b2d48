#pragma once

#include "exchange/ContactWriter.h"

namespace portico::crm
{

/// Returns a writer of contacts in the form of the interface: as one JSON array, which is closed only after the last, or one a line.
std::unique_ptr<ContactWriter> jsonWriter(const ExportStyle& style);

} // namespace portico::crm
