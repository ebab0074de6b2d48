#pragma once

#include <istream>
#include <string>

namespace portico::host::ctl
{

/// Returns the first line. @throws UsageError when there is none
std::string readPassword(std::istream& input);
/// From a file that only its owner may read or write. @throws UsageError
std::string readPasswordFile(const std::string& file);
/// 24 characters, 144 bits, without those that are easily mistaken for another.
std::string makePassword();

} // namespace portico::host::ctl
