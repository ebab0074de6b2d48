#pragma once

#include "portico/Blobs.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace portico::social
{

/// Reads a part of a file; shorter than `length` at the end of the file. @throws Problem 500
std::string readAt(const FileBody& file, std::uint64_t at, std::size_t length);

/// Returns the SHA-256 of a file in lower-case hexadecimal, without reading it into memory as a whole. @throws Problem 500
std::string sha256Of(const FileBody& file);

/// Appends a whole file to a blob, piece by piece.
void copyFile(const FileBody& file, Blobs::Writer& writer);

} // namespace portico::social
