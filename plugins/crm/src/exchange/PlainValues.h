#pragma once

#include "records/Contact.h"

#include <optional>
#include <string>
#include <string_view>

namespace portico::crm
{

/// Translates labels of other programs (Business, HOME, `_$!<Home>!$_`, Cell) to this service's (`work`, `home`, `mobile`). Unknown labels
/// are unchanged.
std::string plainLabel(std::string_view label);

/// Google and Outlook write the known labels with a capital.
std::string capitalLabel(std::string_view label);

// Normalization of values from files. Idempotent, and applied to written values too, so that a file that is read and written again is
// unchanged.

/// Returns an e-mail address without surrounding white space and `mailto:`; for `Name <address>` the address.
std::string_view plainEmail(std::string_view text);
/// Returns a phone number without surrounding white space and `tel:`. Also removes a leading apostrophe, which prevents calculation in
/// spreadsheets, and a leading equals sign.
std::string_view plainPhone(std::string_view text);

/// `true`, `yes`, `y`, `1`, `x`, or the contrary; empty for anything else.
std::optional<bool> flagOf(std::string_view text);

/// Normalizes a contact like reading its written form does: removes empty list elements, and treats white space as empty.
void makePlain(Contact& contact);

} // namespace portico::crm
