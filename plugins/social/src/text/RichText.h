#pragma once

#include "text/Entities.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// A text as a reader sees it, with the runs that are links. A value.
struct RichText
{
    std::string text;
    /// In their order; positions are bytes of `text`, values are those of the original text (a link keeps its whole URL).
    std::vector<Entity> entities;
};

/// Returns a link as people read it: the host without a scheme, and of a longer path its first 13 characters and "...".
std::string shortLink(std::string_view url);

/// Finds the entities of a text and shows each link shortened. Thread-safe.
RichText withShortLinks(std::string_view text, MentionForm mentions);

} // namespace portico::social
