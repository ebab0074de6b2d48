#pragma once

#include "portico/HttpClient.h"

#include <cstdint>
#include <string>
#include <vector>

namespace portico::detail
{

/// A form as the bytes that are sent: for each piece its text, then its file. Files are referred to, not read.
struct FormBody
{
    struct Piece
    {
        std::string text;
        const FileBody* file = nullptr;
    };
    /// With the boundary.
    std::string contentType;
    std::vector<Piece> pieces;
    std::uint64_t size = 0;
};

/// Writes the form with a random boundary. Quotes and line ends in names are percent-encoded, as browsers do.
PORTICO_API FormBody formBody(const std::vector<HttpClient::FormPart>& parts);

} // namespace portico::detail
