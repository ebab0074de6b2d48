#include "passkeys/CborReader.h"

namespace portico::identity
{

namespace
{
constexpr int deepest = 8;
enum Major : int
{
    Unsigned = 0,
    Negative = 1,
    Bytes = 2,
    Text = 3,
    Array = 4,
    Map = 5,
    Tag = 6,
    Simple = 7
};
} // namespace

std::optional<CborReader::Head> CborReader::head()
{
    if (_rest.empty()) return std::nullopt;
    const auto first = static_cast<unsigned char>(_rest.front());
    _rest.remove_prefix(1);
    Head head{first >> 5, static_cast<std::uint64_t>(first & 31)};
    if (head.value < 24) return head;
    if (head.value > 27) return std::nullopt;
    const std::size_t size = std::size_t{1} << (head.value - 24);
    if (_rest.size() < size) return std::nullopt;
    head.value = 0;
    for (std::size_t i = 0; i < size; ++i) head.value = (head.value << 8) | static_cast<unsigned char>(_rest[i]);
    _rest.remove_prefix(size);
    return head;
}

bool CborReader::skip(int depth)
{
    const auto found = head();
    if (!found || depth > deepest) return false;
    switch (found->major)
    {
    case Bytes:
    case Text:
        if (found->value > _rest.size()) return false;
        _rest.remove_prefix(static_cast<std::size_t>(found->value));
        return true;
    case Array:
    case Map:
    {
        // Each element has a byte at least, which bounds the loop.
        if (found->value > _rest.size()) return false;
        const auto count = found->major == Map ? found->value * 2 : found->value;
        for (std::uint64_t i = 0; i < count; ++i)
            if (!skip(depth + 1)) return false;
        return true;
    }
    case Tag:
        return false;
    default:
        return true;
    }
}

std::optional<std::string_view> CborReader::item()
{
    const auto begin = _rest;
    if (!skip(0)) return std::nullopt;
    return begin.substr(0, begin.size() - _rest.size());
}

std::optional<std::vector<std::pair<std::string_view, std::string_view>>> CborReader::map()
{
    const auto found = head();
    if (!found || found->major != Map || found->value > _rest.size()) return std::nullopt;
    std::vector<std::pair<std::string_view, std::string_view>> entries;
    for (std::uint64_t i = 0; i < found->value; ++i)
    {
        const auto key = item();
        const auto value = key ? item() : std::nullopt;
        if (!value) return std::nullopt;
        entries.emplace_back(*key, *value);
    }
    return entries;
}

std::optional<std::string_view> CborReader::string(std::string_view item, int major)
{
    CborReader reader(item);
    const auto found = reader.head();
    if (!found || found->major != major || found->value != reader._rest.size()) return std::nullopt;
    return reader._rest;
}

std::optional<std::string_view> CborReader::text(std::string_view item) { return string(item, Text); }

std::optional<std::string_view> CborReader::bytes(std::string_view item) { return string(item, Bytes); }

std::optional<std::int64_t> CborReader::integer(std::string_view item)
{
    CborReader reader(item);
    const auto found = reader.head();
    if (!found || !reader._rest.empty() || found->value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    if (found->major == Unsigned) return static_cast<std::int64_t>(found->value);
    if (found->major == Negative) return -1 - static_cast<std::int64_t>(found->value);
    return std::nullopt;
}

} // namespace portico::identity
