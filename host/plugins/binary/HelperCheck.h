#pragma once

#include "host/plugins/package/Manifest.h"

#include <string>
#include <string_view>

namespace portico::host::plugins
{

/// Returns what speaks against running a file as a helper: it is no program of this machine, or one that needs a dynamic loader, which
/// would have to open files. Empty: nothing. The file may be hostile.
std::string helperFault(std::string_view bytes);

/// Checks the helpers of a manifest without running them. The texts name where they are installed.
/// @throws std::runtime_error about the first that is missing or cannot be run
void checkHelpers(const Manifest& manifest, const Manifest& installed);

/// Makes the helpers of a private copy executable: signatures are of bytes, and copying keeps no modes. @throws std::system_error
void makeHelpersExecutable(const Manifest& copy);

} // namespace portico::host::plugins
