#pragma once

#include "catalog/Manifest.h"

#include "portico/Problem.h"

#include <string_view>
#include <vector>

namespace portico::identity
{

/// A manifest that came over the API, with the same rules that a host has for a plugin's (sdk/schema/plugin-manifest.schema.json and
/// what it checks beside it), but that addresses are full ones, because nobody completes them.
/// @throws Problem 400 `manifest_invalid` with the places
ServiceManifest readManifest(std::string_view json);

/// What is wrong with it; empty for a sound one.
std::vector<FieldError> lintManifest(const ServiceManifest& manifest);

} // namespace portico::identity
