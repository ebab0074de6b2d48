#pragma once

#include "exchange/ContactWriter.h"

#include <string>
#include <string_view>

namespace portico::crm
{

/// vCard 4.0 (RFC 6350): one card for each contact.
std::unique_ptr<ContactWriter> vcardWriter(const ExportStyle& style);

/// PRODID of our cards.
inline constexpr std::string_view ownProduct = "-//Portico//CRM//EN";

/// `urn:uuid:` of a contact that has no UID of its own: the 128 bits of its id.
std::string uidOf(const ContactId& id);

} // namespace portico::crm
