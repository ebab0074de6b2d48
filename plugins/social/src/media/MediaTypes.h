#pragma once

#include "media/Media.h"

#include <exception>
#include <string>
#include <string_view>

namespace portico::social
{

/// A type of file that a brand can have.
struct MediaType
{
    std::string_view contentType;
    MediaKind kind;
};

/// Returns the type of that name; null for a type that is not accepted. Parameters of the name and its case do not matter.
const MediaType* findMediaType(std::string_view contentType);
/// Returns the type by the first bytes, at least 64 unless the file is shorter; null for other types.
const MediaType* sniffMediaType(std::string_view head);
/// Largest file of a kind, in bytes (2.A.8).
std::int64_t largestFile(MediaKind kind) noexcept;

/// Bytes that are no valid file of their type. The code is the `rejectReason`.
class MediaFault final : public std::exception
{
public:
    explicit MediaFault(std::string_view code) : _code(code) {}
    const char* what() const noexcept override { return _code.c_str(); }
    const std::string& code() const noexcept { return _code; }

private:
    std::string _code;
};

} // namespace portico::social
