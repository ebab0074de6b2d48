#pragma once

#include <string>
#include <string_view>

namespace portico::identity
{

/// What people, organizations and things are called: others are shown it, in lists, in mails and on pages where they decide.
namespace names
{
/// Whether it is one line of text that can be seen: nothing in it controls, ends the line or turns the text around it.
bool isName(std::string_view text);

/// A name out of somebody else's directory, which cannot be asked to mend it: at most so many characters, without what no name may hold.
std::string cleanName(std::string_view text, std::size_t most);

/// The rule for a member of a record: a request with another text is refused with `invalid_name`.
template <class F>
constexpr F named(F field)
{
    return field.matches(isName, "invalid_name", "one line of text without invisible characters");
}
} // namespace names

using names::named;

} // namespace portico::identity
