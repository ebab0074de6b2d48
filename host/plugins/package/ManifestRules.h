#pragma once

#include "host/plugins/package/SchemaChecker.h"

#include <boost/json/value.hpp>

#include <vector>

namespace portico::host::plugins
{

/// What a manifest must also obey and a schema cannot say: references between its parts, and names that begin with the service's own.
/// @param manifest one that the schema has accepted.
std::vector<SchemaFault> checkManifestRules(const boost::json::object& manifest);

} // namespace portico::host::plugins
