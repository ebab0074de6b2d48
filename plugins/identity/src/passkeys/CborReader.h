#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace portico::identity
{

/// Walks over CBOR (RFC 8949) from strangers without building anything of it: finds where items end, and refuses what the canonical form of
/// CTAP 2 has no use for (indefinite lengths, tags) or what nests deep, before a library that recurses sees it.
class CborReader
{
public:
    explicit CborReader(std::string_view bytes) : _rest(bytes) {}

    /// Keys and values of a map, each as its own bytes. Empty for anything else than one well-formed map.
    std::optional<std::vector<std::pair<std::string_view, std::string_view>>> map();
    /// The bytes of the next whole item. Empty when there is none that is well-formed.
    std::optional<std::string_view> item();
    std::string_view rest() const noexcept { return _rest; }

    /// What a text or byte string of that item holds; empty for items of another kind.
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
