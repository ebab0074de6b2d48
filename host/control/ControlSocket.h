#pragma once

#include "host/base/FileDescriptor.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace portico::host::control
{

/// Lines of text over a stream socket. Used by one thread.
class LineChannel
{
public:
    static constexpr std::size_t maxLine = 16 * 1024 * 1024;

    explicit LineChannel(FileDescriptor socket) noexcept : _socket(std::move(socket)) {}

    /// Waits for the next line; without its end, empty when the peer has closed.
    /// @throws std::system_error, std::length_error for a line over `maxLine`
    std::optional<std::string> read();
    /// Writes text and a line end. @throws std::system_error
    void write(std::string_view line);

private:
    FileDescriptor _socket;
    std::string _buffer;
};

} // namespace portico::host::control
