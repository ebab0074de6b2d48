#pragma once

#include <string>
#include <string_view>

namespace portico::social
{

/// Returns letters, digits and pictures of a text without case, for comparing a post with the text that was sent. Thread-safe.
std::string lettersOf(std::string_view text);
/// The same of a text without its links, for a network that shortens them.
std::string lettersWithoutLinks(std::string_view text);

} // namespace portico::social
