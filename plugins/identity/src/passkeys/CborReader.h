#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Scans untrusted CBOR (RFC 8949) without building values. Finds the ends of items. Rejects deep nesting, and forms that CTAP 2's
/// canonical form excludes (indefinite lengths, tags), before a recursive parser reads them.
class CborReader
{
public:
    explicit CborReader(std::string_view bytes) : _rest(bytes) {}

    /// Returns keys and values of a map as bytes. Returns none for anything but one well-formed map.
    std::optional<std::vector<std::pair<std::string_view, std::string_view>>> map();
    /// Returns the bytes of the next item. Returns none if it is not well-formed.
    std::optional<std::string_view> item();
    std::string_view rest() const noexcept { return _rest; }

    /// Returns the content of a text or byte string; none for items of another type.
    static std::optional<std::string_view> text(std::string_view item);
    static std::optional<std::string_view> bytes(std::string_view item);
    static std::optional<std::int64_t> integer(std::string_view item);

private:
    struct Head
    {
        int major = 0;
        std::uint64_t value = 0;
    };
    std::optional<Head> head();
    bool skip(int depth);
    static std::optional<std::string_view> string(std::string_view item, int major);

    std::string_view _rest;
};

} // namespace portico::identity
