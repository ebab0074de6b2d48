#include "vcard/VcardWriter.h"

#include "exchange/ContactWriter.h"
#include "exchange/PlainValues.h"
#include "text/PhoneNumber.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace portico::crm
{

namespace
{

constexpr std::size_t foldedOctets = 75;

/// A text value (RFC 6350, 3.4). Control characters have no place in one.
std::string escaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i)
    {
        const char c = text[i];
        if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
        if (c == '\n' || c == '\r')
            out += "\\n";
        else if (c == '\\' || c == ',' || c == ';')
            (out += '\\') += c;
        else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
            out += ' ';
        else
            out += c;
    }
    return out;
}

/// A parameter's value (RFC 6868), in quotes, which any may have.
std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text)
    {
        if (c == '^')
            out += "^^";
        else if (c == '"')
            out += "^'";
        else if (c == '\n')
            out += "^n";
        else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f)
            out += ' ';
        else
            out += c;
    }
    return out + '"';
}

bool isToken(std::string_view text)
{
    return !text.empty() &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; });
}

/// TYPE of the labels that have one for every property.
std::string_view commonTypes(std::string_view label) { return label == "work" || label == "home" ? label : std::string_view{}; }

std::string_view phoneTypes(std::string_view label)
{
    if (label == "mobile") return "cell";
    if (label == "fax" || label == "pager") return label;
    if (label == "work fax") return "work,fax";
    if (label == "home fax") return "home,fax";
    return commonTypes(label);
}

/// Removes Apple's wrapping from a label.
std::string withoutWrapping(const std::string& label) { return label.starts_with("_$!<") ? plainLabel(label) : label; }

/// Digits behind the number: `x12`, `ext. 12`.
std::string extensionOf(std::string_view number)
{
    constexpr std::size_t longest = 10;
    return digitsOf(number.substr(std::min(number.find_first_of("xXeE;,#"), number.size()))).substr(0, longest);
}

/// `--12-10` is `--1210`, `1815-12-10` is `18151210`.
std::string basicDate(std::string_view date)
{
    std::string text = date.starts_with("--") ? "--" : "";
    return text + digitsOf(date);
}

std::string basicTime(Instant instant)
{
    // 2026-11-21T09:00:00.000Z
    const auto text = toString(instant);
    return digitsOf(text.substr(0, 10)) + 'T' + digitsOf(text.substr(11, 8)) + 'Z';
}

int crockfordDigit(char c)
{
    constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";
    const auto at = digits.find(c);
    return at == std::string_view::npos ? 0 : static_cast<int>(at);
}

/// vCard 4.0 (RFC 6350): one card for each contact.
class VcardWriter final : public ContactWriter
{
public:
    explicit VcardWriter(const ExportStyle& style) : _style(style) {}
    void write(std::string& out, const ContactView& view) override
    {
        _out = &out;
        _groups = 0;
        auto contact = exportedContact(view, _style);
        for (auto& email : contact.emails) email.label = withoutWrapping(email.label);
        for (auto& phone : contact.phones) phone.label = withoutWrapping(phone.label);
        for (auto& address : contact.addresses) address.label = withoutWrapping(address.label);
        writeCard(contact);
    }

private:
    void writeCard(const Contact& contact)
    {
        line("BEGIN:VCARD");
        line("VERSION:4.0");
        line("PRODID:" + std::string(ownProduct));
        writeUid(contact);
        writeName(contact);
        writeEmails(contact);
        writePhones(contact);
        writeAddresses(contact);
        writeOthers(contact);
        line("REV:" + basicTime(contact.updatedAt));
        line("END:VCARD");
    }

    void writeName(const Contact& contact)
    {
        line("FN:" + escaped(contact.displayName));
        std::string name;
        bool any = false;
        for (const auto* part : {&contact.lastName, &contact.firstName, &contact.middleName, &contact.prefix, &contact.suffix})
        {
            if (!name.empty()) name += ';';
            if (name.empty()) name = "N:";
            name += escaped(*part);
            any = any || !part->empty();
        }
        if (any) line(name);
        if (!contact.nickname.empty()) line("NICKNAME:" + escaped(contact.nickname));
    }

    void writeEmails(const Contact& contact)
    {
        for (const auto& email : contact.emails)
            writeLabelled("EMAIL", email.primary ? ";PREF=1" : "", commonTypes(email.label), email.label, escaped(email.address));
    }

    void writePhones(const Contact& contact)
    {
        for (const auto& phone : contact.phones)
        {
            std::string parameters = phone.primary ? ";PREF=1" : "";
            auto value = escaped(phone.number);
            if (phone.e164)
            {
                parameters += ";VALUE=uri";
                value = "tel:" + *phone.e164;
                if (const auto extension = extensionOf(phone.number); !extension.empty()) value += ";ext=" + extension;
            }
            writeLabelled("TEL", parameters, phoneTypes(phone.label), phone.label, value);
        }
    }

    void writeAddresses(const Contact& contact)
    {
        for (const auto& address : contact.addresses)
        {
            // The post office box, which is empty, the extended address, the street.
            std::string value = ";" + escaped(address.street2) + ';' + escaped(address.street);
            for (const auto* part : {&address.city, &address.region, &address.postalCode, &address.country}) value += ';' + escaped(*part);
            writeLabelled("ADR", "", commonTypes(address.label), address.label, value);
        }
    }

    void writeOthers(const Contact& contact)
    {
        if (!contact.companyName.empty() || !contact.department.empty())
            line("ORG:" + escaped(contact.companyName) + (contact.department.empty() ? "" : ';' + escaped(contact.department)));
        if (!contact.jobTitle.empty()) line("TITLE:" + escaped(contact.jobTitle));
        for (const auto& website : contact.websites) line("URL:" + website);
        if (contact.birthday) line("BDAY:" + basicDate(*contact.birthday));
        if (!contact.tags.empty())
        {
            std::string categories;
            for (const auto& tag : contact.tags) (categories += categories.empty() ? "CATEGORIES:" : ",") += escaped(tag);
            line(categories);
        }
        for (const auto& profile : contact.socialProfiles)
            line("X-SOCIALPROFILE;TYPE=" + (isToken(profile.service) ? profile.service : quoted(profile.service)) + ':' +
                 escaped(profile.value));
    }

    void writeUid(const Contact& contact)
    {
        for (const auto& id : contact.externalIds)
            if (id.system == "vcard")
            {
                const bool uri = id.id.starts_with("urn:uuid:") && isToken(std::string_view(id.id).substr(9));
                return line(uri ? "UID:" + id.id : "UID;VALUE=text:" + escaped(id.id));
            }
        line("UID:" + uidOf(contact.id));
    }

    /// Writes a property with a label. Labels without a matching TYPE use Apple's X-ABLabel.
    void writeLabelled(std::string_view name, std::string_view parameters, std::string_view types, std::string_view label,
                       std::string_view value)
    {
        std::string text(name);
        if (!types.empty()) (text += ";TYPE=") += types;
        (text += parameters) += ':';
        text += value;
        if (!types.empty() || label == "other") return line(text);
        const auto group = "item" + std::to_string(++_groups) + '.';
        line(group + text);
        line(group + "X-ABLabel:" + escaped(label));
    }

    /// One line, folded.
    void line(std::string_view text)
    {
        std::size_t room = foldedOctets;
        while (text.size() > room)
        {
            auto cut = room;
            while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
            _out->append(text.substr(0, cut));
            *_out += "\r\n ";
            text.remove_prefix(cut);
            room = foldedOctets - 1;
        }
        _out->append(text);
        *_out += "\r\n";
    }

    const ExportStyle _style;
    std::string* _out = nullptr;
    std::size_t _groups = 0;
};

} // namespace

std::string uidOf(const ContactId& id)
{
    constexpr std::size_t ulidCharacters = 26;
    constexpr std::string_view hexDigits = "0123456789abcdef";
    const std::string_view text = id.text();
    const auto ulid = text.substr(text.size() - std::min(ulidCharacters, text.size()));
    // 26 characters of 5 bits, of which the first two are none.
    std::string bits;
    for (const char c : ulid)
        for (int bit = 4; bit >= 0; --bit) bits += static_cast<char>('0' + (crockfordDigit(c) >> bit & 1));
    bits.erase(0, bits.size() - std::min<std::size_t>(bits.size(), 128));
    bits.insert(0, 128 - bits.size(), '0');
    std::string uid = "urn:uuid:";
    for (std::size_t i = 0; i < bits.size(); i += 4)
    {
        if (i == 32 || i == 48 || i == 64 || i == 80) uid += '-';
        int digit = 0;
        for (std::size_t k = 0; k < 4; ++k) digit = digit * 2 + (bits[i + k] - '0');
        uid += hexDigits[static_cast<std::size_t>(digit)];
    }
    return uid;
}

std::unique_ptr<ContactWriter> vcardWriter(const ExportStyle& style) { return std::make_unique<VcardWriter>(style); }

} // namespace portico::crm
