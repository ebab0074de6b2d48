#include "host/ctl/Password.h"

#include "host/base/Random.h"
#include "host/ctl/Command.h"

#include <fstream>
#include <string_view>
#include <sys/stat.h>

namespace portico::host::ctl
{

namespace
{

// Without 0, O, 1, l and I.
constexpr std::string_view alphabet = "abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789-_.+=:,";
constexpr std::size_t length = 24;
// Six bits of a random byte choose a character: each is equally likely.
static_assert(alphabet.size() == 64);

} // namespace

std::string readPassword(std::istream& input)
{
    std::string line;
    std::getline(input, line);
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) throw UsageError("There is no password on the standard input.");
    return line;
}

std::string readPasswordFile(const std::string& file)
{
    struct stat status
    {
    };
    // A device may have no end, and no line.
    if (::stat(file.c_str(), &status) == 0 && S_ISCHR(status.st_mode)) throw UsageError(file + " is no file with a password.");
    if (S_ISREG(status.st_mode) && (status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw UsageError("Others can read the password file " + file + ": chmod 600 " + file + " hides it.");
    std::ifstream stream(file);
    if (!stream) throw UsageError("Cannot read the password file " + file + ".");
    return readPassword(stream);
}

std::string makePassword()
{
    std::string password;
    for (const auto byte : randomBytes(length)) password.push_back(alphabet[static_cast<unsigned char>(byte) % alphabet.size()]);
    return password;
}

} // namespace portico::host::ctl
