#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// What is left of a file's name as it was sent: the last part of a path of either kind, without control characters and without those that
/// change the direction of text, which make `exe.txt` of `txt.exe`. May be empty. No value for a text that is not UTF-8.
std::optional<std::string> cleanFileName(std::string_view sent);

} // namespace portico::crm
