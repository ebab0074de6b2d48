#pragma once

#include "host/daemon/config/Check.h"
#include "host/daemon/config/Configuration.h"

#include <vector>

namespace portico::host::config
{

/// Settings that are right by themselves and wrong together.
std::vector<Finding> crossCheck(const Configuration& configuration);

} // namespace portico::host::config
