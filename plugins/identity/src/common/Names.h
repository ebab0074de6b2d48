#pragma once

#include <string>
#include <string_view>

namespace portico::identity
{

/// Rules for names of people, organizations and things. Other users see them in lists, in mails and on pages where they decide.
namespace names
{
/// Returns true for one line of visible text: without control characters, line ends and characters that change the direction of text.
bool isName(std::string_view text);

/// Sanitizes a name from an external directory: removes forbidden characters and truncates it to `most` characters.
std::string cleanName(std::string_view text, std::size_t most);

/// Rule for a member of a record: other texts are rejected with `invalid_name`.
template <class F>
constexpr F named(F field)
{
    return field.matches(isName, "invalid_name", "one line of text without invisible characters");
}
} // namespace names

using names::named;

} // namespace portico::identity
