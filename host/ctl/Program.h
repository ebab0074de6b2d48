#pragma once

#include <istream>
#include <ostream>
#include <string>
#include <vector>

namespace portico::host::ctl
{

class Terminal;

inline constexpr int exitDone = 0;
inline constexpr int exitRefused = 1;
inline constexpr int exitUsage = 2;
inline constexpr int exitUnreachable = 3;

/// porticoctl itself, without the process around it. Returns the exit code.
int run(std::vector<std::string> words, std::istream& input, const Terminal& output, std::ostream& errors);

} // namespace portico::host::ctl
