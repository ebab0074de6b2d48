#pragma once

#include "exchange/ContactWriter.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// Returns a writer of vCard 4.0 (RFC 6350), one card for each contact.
std::unique_ptr<ContactWriter> vcardWriter(const ExportStyle& style);

/// PRODID of exported cards.
inline constexpr std::string_view ownProduct = "-//Portico//CRM//EN";

/// Returns the `urn:uuid:` of a contact without an external UID: the 128 bits of its id.
std::string uidOf(const ContactId& id);

} // namespace portico::crm
