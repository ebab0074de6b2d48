#pragma once

#include <string>

namespace portico::host::config
{

/// etc/portico.properties: every setting of the host, explained, with its default commented out. A test keeps the file equal to this.
std::string referenceProperties();
/// The SETTINGS part of portico.properties(5), in mdoc.
std::string referenceManual();

} // namespace portico::host::config
