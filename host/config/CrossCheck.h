#pragma once

#include "host/config/Check.h"
#include "host/config/Configuration.h"

#include <vector>

namespace portico::host::config
{

/// Settings that are right by themselves and wrong together.
std::vector<Finding> crossCheck(const Configuration& configuration);

/// Settings that must not stand in the drop-ins of the state directory, where plugins can write: which of them are loaded is the operator's
/// to say.
std::vector<Finding> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns);

} // namespace portico::host::config
