#pragma once

#include "host/data/DatabaseEngine.h"

#include <memory>
#include <string_view>

namespace portico::host::data
{

/// Loads `portico/engines/<name>.so` from beside libportico.so. It stays loaded: a client library that was once in use is not asked to
/// leave.
/// @throws std::runtime_error that names the file and the remedy.
std::unique_ptr<DatabaseEngine> loadEngine(std::string_view name);

} // namespace portico::host::data
