#pragma once

#include "portico/Instant.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace portico
{

/// A new ULID, lower-case Crockford base 32, 26 characters: 48 bits of `now`, 80 bits from the system's random source. ULIDs that one
/// process makes in one millisecond sort in creation order, even if the clock stops. Thread-safe.
PORTICO_API std::string makeUlid(Instant now);

/// True for 26 characters of lower-case Crockford base 32 that fit in 128 bits.
PORTICO_API bool isUlid(std::string_view text) noexcept;

/// A prefix as a template argument.
template <std::size_t N>
struct IdPrefix
{
    char text[N];
    consteval IdPrefix(const char (&literal)[N]) { std::copy_n(literal, N, text); }
    constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The id of one kind of record: `con_01jd…`. A distinct C++ type each, so that a note's id cannot be used as a contact's.
/// Each prefix belongs to one kind.
template <IdPrefix Prefix>
class Id
{
public:
    static constexpr std::string_view prefix = Prefix.view();

    Id() = default;

    /// Returns a new id. Later ids sort later, within one millisecond only if the same process creates them.
    static Id make(Instant now) { return Id(std::string(prefix) + "_" + makeUlid(now)); }

    /// Empty when the text is not an id of this kind.
    static std::optional<Id> parse(std::string_view text)
    {
        if (text.size() != prefix.size() + 27 || !text.starts_with(prefix) || text[prefix.size()] != '_' ||
            !isUlid(text.substr(prefix.size() + 1)))
            return std::nullopt;
        return Id(std::string(text));
    }

    const std::string& text() const noexcept { return _text; }
    bool empty() const noexcept { return _text.empty(); }
    auto operator<=>(const Id&) const = default;

private:
    explicit Id(std::string text) : _text(std::move(text)) {}
    std::string _text;
};

} // namespace portico
