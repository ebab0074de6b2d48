#pragma once

#include "networks/Network.h"
#include "trends/SourceItem.h"

#include <string>
#include <string_view>
#include <vector>

namespace portico::social
{

/// Returns the text of a suggestion by the template of this number, from 0, in the language (English and German; others get English). The
/// text fits the limits. Empty: the item has nothing to fill in.
std::string suggestedText(const SourceItem& item, std::string_view language, std::size_t number, const NetworkLimits& limits);

/// Returns the text cut at a word, with an ellipsis, so that it fits together with `behind`, which is never cut.
std::string cutToFit(std::string_view text, std::string_view behind, const NetworkLimits& limits);

} // namespace portico::social
