#pragma once

#include <filesystem>
#include <string>

namespace portico::host::plugins
{

/// Why somebody beside root and the user of this process could change what stands at `path`, as `expected …, found …: <remedy>` that names
/// the file or folder at fault; empty if nobody could. Looks at the path itself and at every folder that leads to it, links followed: its
/// owner, and whether its group or everybody may write. A folder of everybody in which each may remove only his own (as /tmp) keeps nothing
/// from being trusted that is in it. What is not there, nobody can change.
std::string whoElseMayChange(const std::filesystem::path& path);

} // namespace portico::host::plugins
