#pragma once

#include <string>
#include <string_view>

namespace portico::identity
{

/// A code of digits as people type or copy it, without what only groups the digits: apps and mails show `123 456`. Blanks of every kind,
/// hyphens and invisible characters go, and digits of other widths become those of ASCII. Everything else stays, so that a wrong text stays
/// wrong.
std::string typedCode(std::string_view text);

} // namespace portico::identity
