#pragma once

#include <map>
#include <span>
#include <string>

namespace portico::launchpad
{

/// Widget URLs by service.
using WidgetOverrides = std::map<std::string, std::string, std::less<>>;

/// Reads the entries of `launchpad.widgetHostOverrides`, `service_id=URL` each.
/// @throws std::runtime_error naming the setting and the entry that is not one: an unknown form, a service twice, a URL that is not http or
/// https or has a fragment
WidgetOverrides parseOverrides(std::span<const std::string> entries);

} // namespace portico::launchpad
