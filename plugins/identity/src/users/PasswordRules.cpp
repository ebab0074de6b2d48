#include "users/PasswordRules.h"

#include "portico/Crypto.h"
#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace portico::identity
{

namespace
{

constexpr std::size_t shortestPassword = 12;
constexpr std::size_t shortestBesideFactor = 8;
constexpr std::size_t longestPasswordBytes = 1024;
/// Minimum length of a forbidden word; shorter ones would forbid too much.
constexpr std::size_t shortestWord = 4;
/// Maximum characters around a breached password. With more, the password is considered different.
constexpr std::size_t maxAdded = 6;

constexpr std::string_view filterMark = "PBF1";
constexpr std::size_t filterHeader = filterMark.size() + 5;

bool isUpper(char c) noexcept { return c >= 'A' && c <= 'Z'; }
bool isLetter(char c) noexcept { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

std::string asciiLower(std::string_view text)
{
    std::string out(text);
    for (auto& c : out)
        if (isUpper(c)) c = static_cast<char>(c - 'A' + 'a');
    return out;
}

/// Returns the lower-case words of names and addresses that are long enough to be checked.
std::vector<std::string> partsOf(const std::vector<std::string_view>& names)
{
    std::vector<std::string> parts;
    for (const auto name : names)
    {
        std::string part;
        for (const char c : asciiLower(name) + ' ')
        {
            if (isLetter(c) || (c >= '0' && c <= '9'))
                part += c;
            else if (part.size() >= shortestWord)
                parts.push_back(std::exchange(part, {}));
            else
                part.clear();
        }
    }
    return parts;
}

/// Maps a file into memory; empty if it does not exist. Pages are read on demand.
std::string_view mapped(const std::filesystem::path& file)
{
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    struct stat facts
    {
    };
    void* start = MAP_FAILED;
    const bool isFile = ::fstat(descriptor, &facts) == 0 && facts.st_size > 0;
    const auto size = static_cast<std::size_t>(facts.st_size);
    if (isFile) start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    ::close(descriptor);
    return start == MAP_FAILED ? std::string_view() : std::string_view(static_cast<const char*>(start), size);
}

void unmap(std::string_view mapped) noexcept
{
    if (!mapped.empty()) ::munmap(const_cast<char*>(mapped.data()), mapped.size());
}

std::uint64_t littleEndian(std::string_view bytes) noexcept
{
    std::uint64_t number = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
    return number;
}

} // namespace

BreachedPasswords::BreachedPasswords(const std::filesystem::path& file) : _file(mapped(file))
{
    if (_file.size() > filterHeader && _file.starts_with(filterMark))
    {
        _bits = littleEndian(_file.substr(filterMark.size(), 4));
        _hashes = static_cast<unsigned char>(_file[filterHeader - 1]);
        _field = _file.substr(filterHeader);
    }
    if (_bits != 0 && _hashes != 0 && _field.size() * 8 == _bits) return;
    unmap(_file);
    throw std::runtime_error(file.string() + ": this is no filter of breached passwords; install the plugin again");
}

BreachedPasswords::~BreachedPasswords() { unmap(_file); }

bool BreachedPasswords::has(std::string_view lowerCase) const
{
    const auto digest = sha256(lowerCase);
    const auto first = littleEndian(digest.bytes().substr(0, 8));
    const auto step = littleEndian(digest.bytes().substr(8, 8));
    for (int i = 0; i < _hashes; ++i)
    {
        const auto place = (first + static_cast<std::uint64_t>(i) * step) % _bits;
        if ((static_cast<unsigned char>(_field[place / 8]) >> place % 8 & 1) == 0) return false;
    }
    return true;
}

bool BreachedPasswords::contains(std::string_view password) const
{
    const auto plain = asciiLower(password);
    if (has(plain)) return true;
    const auto begin = std::ranges::find_if(plain, isLetter);
    const auto end = std::find_if(plain.rbegin(), plain.rend(), isLetter).base();
    if (begin >= end) return false;
    const std::string_view stem(&*begin, static_cast<std::size_t>(end - begin));
    return stem.size() < plain.size() && plain.size() - stem.size() <= maxAdded && has(stem);
}

void PasswordRules::check(std::string_view typed, const std::vector<std::string_view>& words, bool besideSecondFactor,
                          std::string_view field) const
{
    const auto refuse = [&](const std::string& code, const std::string& why)
    {
        auto problem = Problem::badRequest(code, why);
        if (!field.empty()) problem.with({std::string(field), code, why});
        throw problem;
    };
    // Checks the hashed form: other Unicode forms of a letter make a password neither longer nor safer.
    const auto password = compose(typed);
    const auto shortest = besideSecondFactor ? shortestBesideFactor : shortestPassword;
    if (characterCount(password) < shortest)
        refuse("password_too_short", "A password has at least " + std::to_string(shortest) + " characters.");
    if (typed.size() > longestPasswordBytes || password.size() > longestPasswordBytes)
        refuse("password_too_long", "A password has at most 1024 bytes.");
    const auto plain = asciiLower(password);
    for (const auto& word : partsOf(words))
        if (plain.find(word) != std::string::npos)
            refuse("password_contains_context_word", "A password does not contain the account's name or address.");
    if (_breached.contains(password))
        refuse("password_breached", "This password, or one much like it, is known from a breach: choose another.");
}

} // namespace portico::identity
