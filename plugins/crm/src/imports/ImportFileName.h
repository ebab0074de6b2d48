#pragma once

#include <string>
#include <string_view>

namespace portico::crm
{

/// The name of a file without folders and control characters, at most 200 characters: what contacts show as the detail of their source.
/// Takes the form of RFC 8187 (`UTF-8''na%C3%AFve.csv`), too.
std::string importFileName(std::string_view sent);

} // namespace portico::crm
