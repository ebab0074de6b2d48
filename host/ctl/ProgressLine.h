#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace portico::host::ctl
{

/// How far something long has come, on standard error: a line that is written over on a terminal, a line of JSON each time for programs,
/// nothing otherwise.
class ProgressLine
{
public:
    explicit ProgressLine(bool json);
    /// `files`: 0 if they are not counted.
    void show(const std::string& what, std::uint64_t bytes, std::uint64_t files);
    void clear();

private:
    const bool _json;
    const bool _terminal;
    bool _shown = false;
};

} // namespace portico::host::ctl
