#include "host/plugins/package/Version.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <string>

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

int sign(std::size_t left, std::size_t right) { return left < right ? -1 : left > right ? 1 : 0; }

/// The part before the next dot, which is taken off with it.
std::string_view takePart(std::string_view& text)
{
    const auto part = text.substr(0, text.find('.'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

/// Numbers by value, however many digits they have, and before words.
int comparePart(std::string_view left, std::string_view right)
{
    const auto isNumber = [](std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; };
    if (isNumber(left) != isNumber(right)) return isNumber(left) ? -1 : 1;
    if (isNumber(left))
    {
        left.remove_prefix(std::min(left.find_first_not_of('0'), left.size()));
        right.remove_prefix(std::min(right.find_first_not_of('0'), right.size()));
        if (left.size() != right.size()) return sign(left.size(), right.size());
    }
    return left.compare(right);
}

int compareParts(std::string_view left, std::string_view right)
{
    while (!left.empty() && !right.empty())
        if (const int order = comparePart(takePart(left), takePart(right)); order != 0) return order;
    return sign(left.size(), right.size());
}
} // namespace

int compareVersions(std::string_view left, std::string_view right)
{
    const auto dashLeft = std::min(left.find('-'), left.size());
    const auto dashRight = std::min(right.find('-'), right.size());
    if (const int order = compareParts(left.substr(0, dashLeft), right.substr(0, dashRight)); order != 0) return order;
    left.remove_prefix(dashLeft);
    right.remove_prefix(dashRight);
    // A pre-release is lower than its version.
    if (left.empty() || right.empty()) return sign(right.size(), left.size());
    return compareParts(left.substr(1), right.substr(1));
}

bool isCallable(std::string_view provided, std::string_view compiled)
{
    // The usual case; runs at every request.
    if (provided == compiled) return true;
    const auto have = parse(provided);
    const auto want = parse(compiled);
    return have.major == want.major && have.minor >= want.minor;
}

bool satisfies(std::string_view provided, std::string_view wanted)
{
    const bool orLater = wanted.starts_with('^');
    if (orLater) wanted.remove_prefix(1);
    if (orLater) return isCallable(provided, wanted);
    const auto have = parse(provided);
    const auto want = parse(wanted);
    return have.major == want.major && have.minor == want.minor;
}

const InterfaceReference& requireNeeded(const Manifest& manifest, std::string_view name)
{
    const auto found = std::ranges::find(manifest.needs, name, &InterfaceReference::interface);
    if (found == manifest.needs.end())
        throw std::logic_error("the plugin looks for the interface '" + std::string(name) +
                               "', which its manifest does not list: add it to plugin.requires");
    return *found;
}

void requireProvided(const Manifest& manifest, std::string_view name, std::string_view version)
{
    const auto found = std::ranges::find(manifest.provides, name, &InterfaceReference::interface);
    if (found == manifest.provides.end())
        throw std::logic_error("the plugin offers the interface '" + std::string(name) +
                               "', which its manifest does not list: add it to plugin.provides");
    if (found->version != version)
        throw std::logic_error("the plugin offers the interface '" + std::string(name) + "' in version " + std::string(version) +
                               ", its manifest says " + found->version + ": correct plugin.provides or the interfaceVersion of the header");
}

bool mayUse(const InterfaceReference& need, std::string_view compiled, std::string_view provided)
{
    return satisfies(provided, need.version) && isCallable(provided, compiled);
}

} // namespace portico::host::plugins
