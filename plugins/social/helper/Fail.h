#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <unistd.h>

namespace images
{

/// Ends the program: there is no copy of this picture. The word is the report.
[[noreturn]] inline void fail(const char* word)
{
    static_cast<void>(::write(STDOUT_FILENO, word, std::strlen(word)));
    ::_exit(3);
}

[[noreturn]] inline void failForMemory() { ::_exit(ENOMEM); }

} // namespace images
