#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portico::host::http
{

/// Undoes the transfer coding `chunked` (RFC 9112, 7.1) of bytes that arrive in any pieces. Trailers are checked and dropped.
class ChunkedReader
{
public:
    /// Bytes of all chunk extensions together, and of the trailer section: neither has a use here, so little is enough.
    static constexpr std::size_t maxExtensionBytes = 1024;
    static constexpr std::size_t maxTrailerBytes = 4096;

    enum class Result
    {
        More,
        Complete,
        TooLarge, ///< The limit is passed, or a chunk says that it will pass it.
        Malformed
    };

    explicit ChunkedReader(std::uint64_t limit = 0) noexcept : _limit(limit) {}

    /// Reads from the front of `input`, which is cut by what was read; data is appended to `out`.
    /// After `Complete` the rest of `input` belongs to the next request.
    Result read(std::string_view& input, std::string& out);

private:
    enum class State : std::uint8_t
    {
        SizeStart,
        Size,
        Extension,
        SizeEnd,
        Data,
        DataReturn,
        DataEnd,
        TrailerStart,
        TrailerName,
        TrailerValue,
        TrailerEnd,
        LastEnd
    };

    Result readData(std::string_view& input, std::string& out);
    Result readOctet(char c);
    Result readSize(char c);
    Result endSize();
    Result readExtension(char c);
    Result readTrailer(char c);
    Result expect(char c, char wanted, State next);

    State _state = State::SizeStart;
    std::uint64_t _limit;
    std::uint64_t _total = 0;
    std::uint64_t _chunk = 0;
    int _sizeDigits = 0;
    std::size_t _extensionBytes = 0;
    std::size_t _trailerBytes = 0;
};

} // namespace portico::host::http
