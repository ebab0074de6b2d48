#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Returns a pattern for each searched word, for `column LIKE ? ESCAPE '\'` on a folded column.
std::vector<std::string> likePatterns(std::string_view words);

} // namespace portico::social
