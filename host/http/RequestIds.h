#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// Makes request ids, lower-case ULIDs, without a system call. They name requests in answers and logs and guard nothing, so that a
/// fast generator is enough. One a loop.
class RequestIds
{
public:
    RequestIds();
    /// @param millis Milliseconds since 1970.
    void make(std::uint64_t millis, std::string& out) noexcept;

private:
    std::uint64_t random() noexcept;

    std::uint64_t _state;
    std::uint64_t _stream;
};

/// True for an id that a trusted proxy may give: 1 to 128 of letters, digits, `-`, `_` and `.`, fit for every log and header.
bool isRequestId(std::string_view text) noexcept;

} // namespace portico::host::http
