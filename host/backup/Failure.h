#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace portico::host::backup
{

/// A backup that cannot be made, is not whole, or cannot be put back. `code()` is for scripts, `what()` a sentence for the operator that
/// ends with the remedy.
class Failure : public std::runtime_error
{
public:
    Failure(std::string code, const std::string& sentence) : std::runtime_error(sentence), _code(std::move(code)) {}
    const std::string& code() const noexcept { return _code; }

private:
    std::string _code;
};

/// @throws Failure `io_failed` (`disk_full` where there is no room) that names what was tried, the path and the reason of `error`, an errno
[[noreturn]] void throwErrno(int error, const std::string& what, const std::filesystem::path& path);

} // namespace portico::host::backup
