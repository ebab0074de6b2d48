#pragma once

#include "host/plugins/binary/ElfFile.h"
#include "host/plugins/package/Manifest.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::host::plugins
{

/// The fingerprint of this host.
std::string_view hostFingerprint() noexcept;

/// Every field in which a plugin's fingerprint does not fit a host's, in words; empty if it fits. Fields are equal, except that `minor` may
/// be lower.
std::vector<std::string> compareFingerprints(std::string_view host, std::string_view plugin);

/// What speaks against loading a plugin, from its file and manifest alone: fingerprint, SDK range, and the rules of the gate after linking.
std::vector<std::string> checkBinary(const ElfFile& file, const Manifest& manifest);

/// The text of allowed-libraries.txt, a name a line.
std::string_view allowedLibraries() noexcept;

} // namespace portico::host::plugins
