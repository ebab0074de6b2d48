#include "host/admin/ServiceSwitches.h"

#include "host/config/PropertiesFile.h"
#include "host/control/FileDescriptor.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>

namespace portico::host::admin
{

namespace
{

[[noreturn]] void fail(const std::filesystem::path& file)
{
    throw std::runtime_error("Cannot write " + file.string() + ": " + std::strerror(errno) +
                             ". The change holds until the next start only.");
}

/// Whole or not at all, and on disk before it counts.
void replaceFile(const std::filesystem::path& file, const std::string& content)
{
    const auto next = std::filesystem::path(file).concat(".new");
    {
        const FileDescriptor out(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
        if (!out || ::write(out.get(), content.data(), content.size()) != static_cast<ssize_t>(content.size()) || ::fsync(out.get()) != 0)
            fail(next);
    }
    if (std::rename(next.c_str(), file.c_str()) != 0) fail(file);
    const FileDescriptor directory(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory || ::fsync(directory.get()) != 0) fail(file);
}

} // namespace

void ServiceSwitches::set(const std::string& serviceId, bool enabled) const
{
    std::error_code error;
    std::filesystem::create_directories(_file.parent_path(), error);
    std::map<std::string, std::string> values;
    if (std::filesystem::exists(_file))
        for (const auto& entry : config::readProperties(_file).entries) values[entry.key] = entry.value;
    values["services." + serviceId + ".enabled"] = enabled ? "true" : "false";

    std::string content = "# Written by porticoctl enable and disable.\n";
    for (const auto& [key, value] : values) content.append(key).append(" = ").append(value).append("\n");
    replaceFile(_file, content);
}

} // namespace portico::host::admin
