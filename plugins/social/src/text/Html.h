#pragma once

#include <string>
#include <string_view>

namespace portico::social
{

// Reads text out of HTML of other servers. The result is text for display, not markup: pages escape it again. Thread-safe.

/// Replaces character references (`&amp;`, `&#8217;`, `&#x1F600;`). Keeps an unknown reference as it is.
std::string withoutReferences(std::string_view html);
/// Removes tags, comments, scripts and styles, and replaces character references.
std::string withoutMarkup(std::string_view html);
/// Returns the same text with one blank for each run of white space, cut to `most` characters.
std::string plainText(std::string_view html, std::size_t most);

} // namespace portico::social
