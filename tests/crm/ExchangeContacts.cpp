#include "crm/ExchangeContacts.h"

#include "exports/ExportFormats.h"

#include <array>

namespace portico::tests
{

namespace
{

using Words = std::vector<std::string>;

const Words pieces{"Ada",  "Löve", "李小龍", "👩‍💻", " ",    "  ",          ",",         ";",   "\"",   "\"\"", "'",   "=1+1",
                   "+cmd", "-2",   "@x",     "\t",          "\n",   "\r\n",        "\r",        "\\",  "\\n",  "\\,",  ":::", " ::: ",
                   "* ",   "|",    "^n",     "^",           ":",    "BEGIN:VCARD", "END:VCARD", "--",  "null", "[]",   "{}",  "true",
                   "\x01", "\x7f", "\u00a0", "\u2028",      "=3D=", "a=b",         "#",         "%0A", "sep=;"};
const Words labels{"work",  "home", "other",       "mobile",       "fax",     "work fax", "home fax",
                   "pager", "Büro", "a,b;c:\"d\"", "_$!<Home>!$_", "_$!<odd", "Work",     " x "};
const Words numbers{"+49 (0)30 1234-567", "0170 1234567", "+1 202-555-0147 x12", "00442079460958",
                    "tel:+4930123456",    " 030 123 ",    "1-800-FLOWERS1",      "112 "};
const Words websites{"https://x.example/a,b;c?d=e", "x.example", "http://ü.example/#1"};
const Words systems{"erp", "vcard", "a,b", "=sys"};

crm::CustomField fieldOf(const std::string& key, crm::CustomFieldType type, Words options = {})
{
    crm::CustomField field;
    field.key = key;
    field.label = key;
    field.type = type;
    field.options = std::move(options);
    return field;
}

} // namespace

std::string ContactGenerator::text(std::size_t longest)
{
    std::string text;
    const auto count = 1 + upTo(4);
    for (std::size_t i = 0; i < count; ++i)
    {
        const auto& piece = pieces[upTo(pieces.size() - 1)];
        if (text.size() + piece.size() <= longest) text += piece;
    }
    return text;
}

std::string ContactGenerator::label() { return chance(10) ? text(40) : labels[upTo(labels.size() - 1)]; }

std::string ContactGenerator::emailAddress()
{
    constexpr std::array locals{"ada", "a.b+c", "o'neil", "=x", "-y", "é"};
    return std::string(locals[upTo(locals.size() - 1)]) + std::to_string(upTo(999)) + (chance(20) ? "@bücher.example" : "@x.example");
}

std::string ContactGenerator::phoneNumber() { return numbers[upTo(numbers.size() - 1)]; }

void ContactGenerator::addLists(crm::Contact& contact)
{
    for (auto i = upTo(3); i > 0; --i) contact.emails.push_back({emailAddress(), label(), false});
    for (auto i = upTo(3); i > 0; --i) contact.phones.push_back({phoneNumber(), std::nullopt, label(), false});
    if (!contact.emails.empty() && chance(30)) contact.emails[upTo(contact.emails.size() - 1)].primary = true;
    if (!contact.phones.empty() && chance(30)) contact.phones[upTo(contact.phones.size() - 1)].primary = true;
    for (auto i = upTo(2); i > 0; --i)
        contact.addresses.push_back({maybe(200), maybe(200), maybe(200), maybe(200), maybe(200), maybe(80), label()});
    for (auto i = upTo(2); i > 0; --i) contact.websites.push_back(websites[upTo(websites.size() - 1)]);
    for (auto i = upTo(2); i > 0; --i) contact.socialProfiles.push_back({"s" + text(30), "v" + text(100)});
    for (auto i = upTo(3); i > 0; --i) contact.tags.push_back("t" + text(40));
    for (auto i = upTo(2); i > 0; --i)
        contact.externalIds.push_back(
            {systems[upTo(systems.size() - 1)], "id" + std::to_string(_made) + "-" + std::to_string(i) + text(20)});
}

void ContactGenerator::addCustomFields(crm::Contact& contact)
{
    using enum crm::CustomFieldType;
    if (_fields.empty())
        for (auto& field : {fieldOf("note_text", Text), fieldOf("size", Number), fieldOf("since", Date), fieldOf("vip", Boolean),
                            fieldOf("colour", Select, {"red", "=green"}), fieldOf("colours", MultiSelect, {"red", "=green", "a;b"}),
                            fieldOf("page", Url)})
            _fields.emplace(field.key, field);
    const auto add = [&](const std::string& key, std::string json)
    {
        if (chance(40)) contact.customFields[key] = {std::move(json)};
    };
    add("note_text", toJson("n" + text(200)));
    add("size", chance(50) ? "-3.5" : "38");
    add("since", "\"2026-11-21\"");
    add("vip", chance(50) ? "true" : "false");
    add("colour", "\"=green\"");
    add("colours", chance(50) ? R"(["red","=green"])" : R"(["a;b"])");
    add("page", "\"x.example\"");
}

void ContactGenerator::addOthers(crm::Contact& contact)
{
    constexpr std::array birthdays{"1990-02-28", "--12-10", "2000-02-29"};
    if (chance(50)) contact.birthday = birthdays[upTo(birthdays.size() - 1)];
    contact.lifecycle = static_cast<crm::Lifecycle>(upTo(4));
    contact.source = static_cast<crm::ContactSource>(upTo(5));
    contact.sourceDetail = maybe(200);
    contact.doNotContact = {chance(20), chance(20), chance(20)};
    if (chance(30)) contact.ownerUserId = crm::UserId::make(fromMillis(1000));
}

crm::Contact ContactGenerator::make()
{
    crm::Contact contact;
    ++_made;
    contact.firstName = maybe(100);
    contact.middleName = maybe(100);
    contact.lastName = maybe(100);
    contact.prefix = maybe(30);
    contact.suffix = maybe(30);
    contact.nickname = maybe(100);
    if (chance(30)) contact.displayName = "d" + text(200);
    contact.companyName = "c" + maybe(100);
    contact.jobTitle = maybe(100);
    contact.department = maybe(100);
    addLists(contact);
    addCustomFields(contact);
    addOthers(contact);
    contact.id = crm::ContactId::make(fromMillis(1'700'000'000'000 + static_cast<std::int64_t>(_made)));
    contact.createdAt = contact.updatedAt = fromMillis(1'700'000'000'000 + static_cast<std::int64_t>(_made));
    contact.createdBy = "usr_x";
    crm::complete(contact, nullptr, "", _fields);
    return contact;
}

crm::ContactView viewOf(const crm::Contact& contact)
{
    crm::ContactView view;
    view.document.text = toJson(contact);
    return view;
}

std::string written(const std::vector<crm::Contact>& contacts, const crm::ExportStyle& style)
{
    crm::ExportShape shape;
    for (const auto& contact : contacts) shape.see(crm::exportedContact(viewOf(contact), style));
    const auto writer = crm::makeContactWriter(style, shape);
    std::string out;
    writer->begin(out);
    for (const auto& contact : contacts) writer->write(out, viewOf(contact));
    writer->end(out);
    return out;
}

} // namespace portico::tests
