#include "host/config/InstallLayout.h"

#include <cstdlib>
#include <string>

namespace portico::host::config
{

InstallLayout::InstallLayout(const std::filesystem::path& program) : _prefix(program.parent_path().parent_path()) {}

InstallLayout InstallLayout::ofThisProgram() { return InstallLayout(std::filesystem::read_symlink("/proc/self/exe")); }

std::filesystem::path InstallLayout::pluginsDirectory() const
{
    const auto plain = _prefix / "lib" / "portico" / "plugins";
    const auto architecture = _prefix / PORTICO_LIBRARY_DIRECTORY / "portico" / "plugins";
    return std::filesystem::is_directory(architecture) ? architecture : plain;
}

std::filesystem::path InstallLayout::configurationFile() const
{
    const auto root = _prefix == "/usr" || _prefix == "/usr/local" ? std::filesystem::path("/etc") : _prefix / "etc";
    return root / "portico" / "portico.properties";
}

bool InstallLayout::isOwnId(std::string_view serviceId)
{
    // Not by the manifest's word: by the list that the build made of the services beside the host in the source tree.
    static constexpr std::string_view services = "," PORTICO_BUILT_IN_PLUGINS ",";
    return services.find("," + std::string(serviceId) + ",") != std::string_view::npos;
}

bool InstallLayout::isBuiltIn(std::string_view serviceId, const std::filesystem::path& folder) const
{
    if (!isOwnId(serviceId)) return false;
    std::error_code error;
    // Compares the parent directory, which only the administrator changes. A link elsewhere that leads here may have had another target
    // when the plugin was copied.
    return folder.filename() == serviceId && std::filesystem::equivalent(folder.parent_path(), pluginsDirectory(), error) && !error;
}

std::filesystem::path InstallLayout::stateDirectory()
{
    const char* const ofUnit = std::getenv("STATE_DIRECTORY");
    return ofUnit && *ofUnit != '\0' ? ofUnit : ".portico";
}

} // namespace portico::host::config
