#include "host/base/ReadFiles.h"

#include "host/base/FileDescriptor.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <pwd.h>

namespace portico::host
{

std::optional<std::string> contentOf(const std::filesystem::path& file)
{
    const FileDescriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!in) return std::nullopt;
    std::string content;
    for (std::array<char, 65'536> piece;;)
    {
        const auto count = ::read(in.get(), piece.data(), piece.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) return content;
        content.append(piece.data(), static_cast<std::size_t>(count));
    }
}

std::optional<std::string> firstLineOf(const std::filesystem::path& file)
{
    auto line = contentOf(file);
    if (!line || line->empty()) return std::nullopt;
    line->resize(std::min(line->find('\n'), line->size()));
    if (line->ends_with('\r')) line->pop_back();
    return line;
}

std::optional<std::string> nameOfUser(uid_t user)
{
    std::array<char, 4'096> buffer;
    passwd entry{};
    passwd* found = nullptr;
    if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return std::nullopt;
    return found->pw_name;
}

} // namespace portico::host
