#pragma once

#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace images
{

/// Writes all of it, or ends the program.
inline void writeAll(int file, std::string_view bytes)
{
    while (!bytes.empty())
    {
        const auto count = ::write(file, bytes.data(), bytes.size());
        if (count <= 0) ::_exit(1);
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

} // namespace images
