#pragma once

#include <string>
#include <string_view>

namespace portico::host::platform
{

/// An event as it goes over the wire (WHATWG HTML, 9.2.6 "Interpreting an event stream"). Lines of `data` may end in any way; they come out
/// with a line feed. @throws std::invalid_argument for a type of several lines
std::string eventFrame(std::string_view id, std::string_view type, std::string_view data);

} // namespace portico::host::platform
