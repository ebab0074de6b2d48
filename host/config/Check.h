#pragma once

#include "host/config/Configuration.h"

#include <vector>

namespace portico::host::config
{

/// Every mistake of the layers, in their order. Opens the secret files, changes nothing.
std::vector<Diagnostic> check(const Catalog& catalog, const Layers& layers);

/// Settings that are right by themselves and wrong together, and addresses, networks, origins and the sender of mails by their form.
std::vector<Diagnostic> crossCheck(const Configuration& configuration);

/// Settings that must not stand in the drop-ins of the state directory, where plugins can write: which of them are loaded is the operator's
/// to say.
std::vector<Diagnostic> checkDropIns(const std::vector<Entry>& entries, const std::filesystem::path& dropIns);

} // namespace portico::host::config
