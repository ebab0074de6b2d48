// The program of HelperTest: does what its first argument says, well or badly.

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

extern char** environ;

namespace
{

bool writeAll(int file, const std::string& text)
{
    for (std::size_t at = 0; at < text.size();)
    {
        const auto count = ::write(file, text.data() + at, text.size() - at);
        if (count < 0) return false;
        at += static_cast<std::size_t>(count);
    }
    return true;
}

std::string readAll(int file)
{
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = ::read(file, buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(count));
    return text;
}

int openDescriptors()
{
    int open = 0;
    for (int number = 0; number < 1024; ++number) open += ::fcntl(number, F_GETFD) >= 0 ? 1 : 0;
    return open;
}

int endlessly()
{
    volatile bool goesOn = true;
    while (goesOn) {}
    return 0;
}

int waiting()
{
    for (timespec now{};;) ::clock_gettime(CLOCK_MONOTONIC, &now);
}

int takeMemory()
{
    for (;;)
    {
        auto* piece = static_cast<char*>(std::malloc(1 << 20));
        if (piece == nullptr) std::abort();
        std::memset(piece, 1, 1 << 20);
    }
}

} // namespace

int main(int count, char** words)
{
    const std::string what = count > 1 ? words[1] : "";
    if (what == "copy") return writeAll(4, readAll(3)) && writeAll(1, "copied") ? 0 : 1;
    if (what == "describe")
    {
        char facts[100];
        std::snprintf(facts, sizeof facts, "files=%d environment=%d", openDescriptors(), environ[0] != nullptr);
        return writeAll(1, facts) ? 0 : 1;
    }
    // The C library asks for the size of the memory before it sorts much.
    if (what == "sort") return ::sysconf(_SC_PHYS_PAGES) > 0 ? 0 : 1;
    if (what == "refuse") return writeAll(1, "not for me") ? 3 : 1;
    if (what == "memory-code") return ENOMEM;
    if (what == "crash") *static_cast<volatile int*>(nullptr) = 1;
    if (what == "abort") std::abort();
    if (what == "loop") return endlessly();
    if (what == "wait") return waiting();
    if (what == "read-and-wait")
    {
        char byte = 0;
        return ::read(3, &byte, 1) == 1 ? waiting() : 1;
    }
    if (what == "memory") return takeMemory();
    if (what == "large-output")
        while (writeAll(3, std::string(1 << 16, 'x'))) {}
    if (what == "large-report")
        while (writeAll(1, std::string(1 << 16, 'x'))) {}
    if (what == "chatter")
        while (writeAll(2, std::string(1 << 16, 'x'))) {}
    if (what == "socket") return ::socket(AF_INET, SOCK_STREAM, 0) >= 0 ? 0 : 1;
    if (what == "file") return ::open("/etc/passwd", O_RDONLY) >= 0 ? 0 : 1;
    if (what == "process") return ::fork() >= 0 ? 0 : 1;
    if (what == "signal") return ::kill(::getppid(), 0) == 0 ? 0 : 1;
    if (what == "execute") return ::execl("/bin/true", "true", nullptr);
    if (what == "wait-for-file")
    {
        // Until the test writes a byte behind the input that it gave.
        for (char byte = 0; ::pread(3, &byte, 1, 0) != 1;) {}
        return writeAll(4, "seen") ? 0 : 1;
    }
    return 2;
}
