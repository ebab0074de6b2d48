#pragma once

#include "portico/Text.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// A text as it is compared, sorted and searched: compatibility forms, no case, no accents (`Ångström` is `angstrom`, `Straße` is
/// `strasse`). Both database engines get folded texts only, which is why they agree. What is no UTF-8 folds to nothing.
std::string fold(std::string_view text);

/// Case folded and composed (NFKC_Casefold): for what must stay distinct by accents, as in an e-mail address.
std::string foldCase(std::string_view text);

/// The digits 0 to 9 in it.
std::string digitsOf(std::string_view text);

} // namespace portico::crm
