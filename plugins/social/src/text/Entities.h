#pragma once

#include "portico/Schema.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

enum class EntityKind : std::uint8_t
{
    Link,
    Mention,
    Tag
};

constexpr auto schemaOf(const EntityKind*)
{
    return portico::choices<EntityKind>({{"link", EntityKind::Link}, {"mention", EntityKind::Mention}, {"tag", EntityKind::Tag}});
}

/// A run of a text that a network shows as a link.
struct Entity
{
    EntityKind kind = EntityKind::Link;
    /// Position in bytes of UTF-8, and the position after the last byte.
    std::size_t begin = 0;
    std::size_t end = 0;
    /// The URL, the name after `@`, or the tag without its sign.
    std::string value;
};

/// Form of a mention.
enum class MentionForm : std::uint8_t
{
    None,
    /// `@name.example.org`, as on Bluesky
    Domain,
    /// `@name` or `@name@example.org`, as on Mastodon
    Fediverse
};

/// Finds links with `http://` or `https://`, mentions and tags, in their order; none overlaps another. Punctuation at the end of a link and
/// a closing bracket without an opening one do not belong to it. Thread-safe.
std::vector<Entity> findEntities(std::string_view text, MentionForm mentions);

} // namespace portico::social
