#include "host/base/Random.h"

#include <cerrno>
#include <system_error>

#include <sys/random.h>

namespace portico::host
{

void randomBytes(std::span<unsigned char> bytes)
{
    while (!bytes.empty())
    {
        const auto given = ::getrandom(bytes.data(), bytes.size(), 0);
        if (given < 0 && errno != EINTR) throw std::system_error(errno, std::generic_category(), "get random bytes from the kernel");
        if (given > 0) bytes = bytes.subspan(static_cast<std::size_t>(given));
    }
}

std::string randomBytes(std::size_t count)
{
    std::string bytes(count, '\0');
    randomBytes({reinterpret_cast<unsigned char*>(bytes.data()), bytes.size()});
    return bytes;
}

std::uint64_t randomNumber()
{
    std::uint64_t number = 0;
    randomBytes({reinterpret_cast<unsigned char*>(&number), sizeof number});
    return number;
}

} // namespace portico::host
