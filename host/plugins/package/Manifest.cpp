#include "host/plugins/package/Manifest.h"

#include <algorithm>

namespace portico::host::plugins
{

bool Manifest::hasPermission(std::string_view permission) const { return std::ranges::binary_search(permissions, permission); }

bool Manifest::hasScope(std::string_view scope) const { return std::ranges::binary_search(apiKeyScopes, scope); }

bool Manifest::exemptsFromKeys(std::string_view permission) const { return std::ranges::binary_search(apiKeyExempt, permission); }

} // namespace portico::host::plugins
