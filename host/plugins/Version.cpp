#include "host/plugins/Version.h"

#include <charconv>

namespace portico::host::plugins
{

namespace
{
struct Version
{
    int major = 0;
    int minor = 0;
};

Version parse(std::string_view text)
{
    Version version;
    const auto* end = text.data() + text.size();
    const auto* next = std::from_chars(text.data(), end, version.major).ptr;
    if (next == end) return version;
    std::from_chars(next + 1, end, version.minor);
    return version;
}
} // namespace

bool satisfies(std::string_view provided, std::string_view wanted)
{
    const bool orLater = wanted.starts_with('^');
    if (orLater) wanted.remove_prefix(1);
    const auto have = parse(provided);
    const auto want = parse(wanted);
    if (have.major != want.major) return false;
    return orLater ? have.minor >= want.minor : have.minor == want.minor;
}

} // namespace portico::host::plugins
