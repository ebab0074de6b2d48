#pragma once

#include "portico/Export.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace portico
{

/// What came from elsewhere and is no JSON (a header, say) as a text that can be stored and shown: at most so many characters (code
/// points), with U+FFFD for each byte that is no UTF-8 and for each control character.
PORTICO_API std::string cleanText(std::string_view text, std::size_t characters);

} // namespace portico
