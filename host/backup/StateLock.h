#pragma once

#include "host/base/FileDescriptor.h"

#include <filesystem>

namespace portico::host::backup
{

/// The state directory, locked as a daemon locks it; made if it is not there. @throws Failure `running` while a daemon has it
FileDescriptor lockState(const std::filesystem::path& stateDirectory);

} // namespace portico::host::backup
