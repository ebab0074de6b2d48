#pragma once

#include "host/data/DatabaseEngine.h"

#include <memory>
#include <string_view>

namespace portico::host::data
{

/// Loads `portico/engines/<name>.so` from beside libportico.so, checks the version that its function `versionSymbol` tells, and gives the
/// function `makeSymbol`. It stays loaded: a client library that was once in use is not asked to leave.
/// @throws std::runtime_error that names the file and the remedy.
void* loadEngineMaker(std::string_view name, const char* versionSymbol, const char* makeSymbol);

/// The engine of a database system. @throws as loadEngineMaker
std::unique_ptr<DatabaseEngine> loadEngine(std::string_view name);

} // namespace portico::host::data
