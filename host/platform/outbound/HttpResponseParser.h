#pragma once

#include "portico/HttpClient.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace portico::host::platform
{

/// Parses one HTTP/1.1 response as its bytes arrive. Rejects what could be read in two ways: both framings, differing lengths, bare line
/// feeds in the head, unknown transfer codings. One thread.
class HttpResponseParser
{
public:
    enum class State : std::uint8_t
    {
        More,
        Complete,
        Malformed,
        TooLarge
    };
    static constexpr std::size_t headLimitBytes = 32 * 1024;

    /// @param toHead The request was HEAD: no body follows.
    /// @param maxBodyBytes A longer body is TooLarge, before it has arrived where its length is announced.
    HttpResponseParser(bool toHead, std::uint64_t maxBodyBytes) : _toHead(toHead), _maxBodyBytes(maxBodyBytes) {}
    /// Parses a body in chunks whose head was read elsewhere.
    static HttpResponseParser ofChunks(std::uint64_t maxBodyBytes)
    {
        HttpResponseParser parser(false, maxBodyBytes);
        parser._part = Part::ChunkSize;
        return parser;
    }

    State take(std::string_view bytes);
    /// The connection has ended in order: completes a body without framing. Anything else is truncated, and Malformed.
    State end();
    /// Only after Complete. The caller may move bytes out of the body before: the limit counts `bodyBytes`.
    HttpClient::Response& response() noexcept { return _response; }

private:
    enum class Part : std::uint8_t
    {
        Head,
        Sized,
        UntilEnd,
        ChunkSize,
        Chunk,
        ChunkEnd,
        Trailer,
        Done
    };
    /// Each consumes from `_input`; false: more bytes are needed, or the state is final.
    bool step();
    bool readHead();
    bool parseHead(std::string_view head);
    bool chooseFraming();
    bool readChunkSize();
    bool readTrailer();
    bool addBody(std::uint64_t limit);
    bool finish(State state);
    /// A line without its CRLF; false if it is not complete.
    bool takeLine(std::string_view& line);

    const bool _toHead;
    const std::uint64_t _maxBodyBytes;
    State _state = State::More;
    Part _part = Part::Head;
    std::string _buffer;
    std::string_view _input;
    std::uint64_t _left = 0;
    std::size_t _trailerBytes = 0;
    HttpClient::Response _response;
};

} // namespace portico::host::platform
