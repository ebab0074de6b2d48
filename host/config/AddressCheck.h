#pragma once

#include "host/config/Check.h"
#include "host/config/Configuration.h"

#include <vector>

namespace portico::host::config
{

/// Addresses, networks, origins and the sender of mails, by their form: what the parts of the host would refuse when the daemon starts, and
/// could not name file and line of. Resolves no names, opens no sockets.
std::vector<Finding> checkAddresses(const Configuration& configuration);

} // namespace portico::host::config
