#pragma once

#include "catalog/Manifest.h"

#include "portico/Problem.h"

#include <string_view>
#include <vector>

namespace portico::identity
{

/// Parses a manifest from the API. The rules are those of a host for plugins (sdk/schema/plugin-manifest.schema.json and its further
/// checks), except that addresses must be absolute.
/// @throws Problem 400 `manifest_invalid` with the places
ServiceManifest readManifest(std::string_view json);

/// Returns the faults; empty for a valid manifest.
std::vector<FieldError> lintManifest(const ServiceManifest& manifest);

} // namespace portico::identity
