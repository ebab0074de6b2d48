#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Sanitizes the name of an uploaded file. Returns the last part of a path of either kind, without control characters. Also removes
/// characters that change the direction of text and could make `exe.txt` of `txt.exe`. The result may be empty. No value for a text that is
/// not UTF-8.
std::optional<std::string> cleanFileName(std::string_view sent);

} // namespace portico::crm
