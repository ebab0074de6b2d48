#pragma once

#include "portico/Request.h"
#include "portico/Response.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace portico::host::http
{

/// True if the client has this representation already (RFC 9110, 13.1.2 and 13.1.3): If-None-Match against the response's entity tag or,
/// if that is not sent, If-Modified-Since against the file's time.
bool isNotModified(const Request& request, const Response& response);

/// What a Range header asks of a file.
struct ByteRange
{
    enum class Answer : std::uint8_t
    {
        Whole, ///< None asked, not understood, several, or If-Range does not hold.
        Part,
        Unsatisfiable
    };
    Answer answer = Answer::Whole;
    std::uint64_t first = 0;
    std::uint64_t length = 0;
};

/// @param response Has a file.
ByteRange requestedRange(const Request& request, const Response& response);

} // namespace portico::host::http
