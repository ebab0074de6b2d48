#include "host/admin/ServiceSwitches.h"

#include "host/base/DurableFiles.h"
#include "host/config/PropertiesFile.h"

#include <stdexcept>
#include <system_error>

namespace portico::host::admin
{

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
    try
    {
        replaceFile(_file, content);
    }
    catch (const std::system_error& failed)
    {
        throw std::runtime_error("Cannot write " + _file.string() + ": " + failed.code().message() +
                                 ". The change holds until the next start only.");
    }
}

} // namespace portico::host::admin
