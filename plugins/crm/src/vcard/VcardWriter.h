#pragma once

#include "exports/ContactWriter.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace portico::crm
{

/// vCard 4.0 (RFC 6350): one card for each contact.
class VcardWriter final : public ContactWriter
{
public:
    explicit VcardWriter(const ExportStyle& style) : _style(style) {}
    void write(std::string& out, const ContactView& contact) override;

private:
    void writeCard(const Contact& contact);
    void writeName(const Contact& contact);
    void writeEmails(const Contact& contact);
    void writePhones(const Contact& contact);
    void writeAddresses(const Contact& contact);
    void writeOthers(const Contact& contact);
    void writeUid(const Contact& contact);
    /// A property whose label is no TYPE of its own gets Apple's way of naming it.
    void writeLabelled(std::string_view name, std::string_view parameters, std::string_view types, std::string_view label,
                       std::string_view value);
    /// One line, folded.
    void line(std::string_view text);

    const ExportStyle _style;
    std::string* _out = nullptr;
    std::size_t _groups = 0;
};

/// PRODID of our cards.
inline constexpr std::string_view ownProduct = "-//Portico//CRM//EN";

/// `urn:uuid:` of a contact that has no UID of its own: the 128 bits of its id.
std::string uidOf(const ContactId& id);

} // namespace portico::crm
