#pragma once

#include "DeviceKey.h"
#include "Http.h"
#include "SecretStore.h"

#include "portico_mobile.h"

#include <filesystem>
#include <string>

namespace portico::mobiletool
{

/// The functions that a shell supplies to the library, with files for the hardware. Folder:
///
///     device                  private key, the simulated hardware
///     secrets/                keychain group, encrypted
///     cache/<app>/            documents of one app
class Shell
{
public:
    /// @throws std::runtime_error
    Shell(const std::filesystem::path& folder, const std::string& app);

    /// Lives as long as this object.
    pm_shell functions();

    /// The result of `is_installed`.
    bool installed = false;
    /// Messages of the library go to stderr.
    bool verbose = false;

    Http http;
    DeviceKey key;
    SecretStore secrets;
    std::filesystem::path cache;
};

} // namespace portico::mobiletool
