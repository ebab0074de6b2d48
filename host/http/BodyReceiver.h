#pragma once

#include "host/http/ChunkedReader.h"
#include "host/http/InputBuffer.h"
#include "host/http/RequestHead.h"

#include <cstdint>
#include <string>

namespace portico::host::http
{

/// Takes one request's body off a connection's input, by length or by chunks, up to a limit.
class BodyReceiver
{
public:
    enum class Result
    {
        More,
        Complete,
        TooLarge,
        Malformed
    };

    /// @param limit Largest body; of a fixed length it is checked by the caller, before the body is read.
    void begin(const RequestHead& head, std::uint64_t limit) noexcept;
    /// Appends what `input` holds of the body to `out` and consumes it.
    Result take(InputBuffer& input, std::string& out);
    /// A fixed-length body that `input` holds whole, consumed without copying; only before `take`.
    std::string_view takeWhole(InputBuffer& input) noexcept;
    bool isWhole(const InputBuffer& input) const noexcept { return !_chunked && input.data().size() >= _remaining; }

    bool complete() const noexcept { return _complete; }
    bool chunked() const noexcept { return _chunked; }
    /// Bytes still to come of a fixed-length body.
    std::uint64_t remaining() const noexcept { return _remaining; }
    /// Bytes of the body received so far.
    std::uint64_t received() const noexcept { return _received; }

private:
    Result takeFixed(InputBuffer& input, std::string& out);
    Result takeChunked(InputBuffer& input, std::string& out);

    ChunkedReader _chunks;
    std::uint64_t _remaining = 0;
    std::uint64_t _received = 0;
    bool _chunked = false;
    bool _complete = true;
};

} // namespace portico::host::http
