#pragma once

#include "records/Contact.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// A label as this service writes it: `work`, `home`, `mobile` for what other programs call Business, HOME, `_$!<Home>!$_`, Cell. What is
/// none of the known ones stays as it is.
std::string plainLabel(std::string_view label);

/// Google and Outlook write the known labels with a capital.
std::string capitalLabel(std::string_view label);

// How values are taken from files. Applied twice they do no more than once, and what is written has been through them: so a file that is
// read and written again is the same.

/// An e-mail address without white space around it and `mailto:` before it; of `Name <address>` the address.
std::string_view plainEmail(std::string_view text);
/// A phone number without white space around it, and without `tel:`, the apostrophe with which people keep a spreadsheet from calculating,
/// and the equals sign with which they do not.
std::string_view plainPhone(std::string_view text);

/// `true`, `yes`, `y`, `1`, `x`, or the contrary; empty for anything else.
std::optional<bool> flagOf(std::string_view text);

/// A contact as it is read again from what is written of it: elements that say nothing are left out, white space alone is nothing.
void makePlain(Contact& contact);

} // namespace portico::crm
