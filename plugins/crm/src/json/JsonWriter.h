#pragma once

#include "exchange/ContactWriter.h"

namespace portico::crm
{

/// Contacts as the interface gives them: in one JSON array, whose bracket closes only behind the last, or one a line.
std::unique_ptr<ContactWriter> jsonWriter(const ExportStyle& style);

} // namespace portico::crm
