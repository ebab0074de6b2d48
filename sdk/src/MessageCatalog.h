#pragma once

#include "Mustache.h"
#include "Plurals.h"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portico::detail
{

/// A text with placeholders: `Hello {user.name}`. Doubled braces are literal braces.
struct MessageText
{
    struct Piece
    {
        std::string text = {};
        /// Path of a value; empty for literal text.
        std::optional<NamePath> path = {};
    };
    std::vector<Piece> pieces;
};

/// One text, or one for each plural category of a number.
struct Message
{
    /// The number that decides; nothing for a message that has one text, as its `other`.
    std::optional<NamePath> plural = {};
    std::array<std::optional<MessageText>, pluralNames.size()> texts = {};

    /// That of the category, or of `other`.
    const MessageText& text(PluralCategory category) const noexcept
    {
        const auto& own = texts[static_cast<std::size_t>(category)];
        return own ? *own : *texts[static_cast<std::size_t>(PluralCategory::Other)];
    }
};

/// Messages by their keys with dots.
using MessageCatalog = std::map<std::string, Message, std::less<>>;

/// A JSON object of texts, of plural messages (objects with the member `plural`) and of objects of those, whose keys follow with a dot.
/// @throws std::runtime_error that names the key
MessageCatalog parseCatalog(std::string_view json);

} // namespace portico::detail
