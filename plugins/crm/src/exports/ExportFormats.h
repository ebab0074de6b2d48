#pragma once

#include "exchange/ContactWriter.h"

#include <memory>

namespace portico::crm
{

/// The writer of a style's format. `shape` must have seen all contacts if `needsShape(style)`.
std::unique_ptr<ContactWriter> makeContactWriter(const ExportStyle& style, const ExportShape& shape);

} // namespace portico::crm
