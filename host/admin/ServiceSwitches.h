#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace portico::host::admin
{

/// The drop-in of the state directory in which `porticoctl enable` and `disable` keep what they were told, so that it survives a restart.
class ServiceSwitches
{
public:
    explicit ServiceSwitches(std::filesystem::path dropIns) : _file(std::move(dropIns) / "services.properties") {}

    /// Replaces the file as a whole; what it says of other services stays. @throws std::runtime_error when it cannot be written
    void set(const std::string& serviceId, bool enabled) const;
    const std::filesystem::path& file() const noexcept { return _file; }

private:
    std::filesystem::path _file;
};

} // namespace portico::host::admin
