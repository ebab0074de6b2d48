#include "csv/Presets.h"

#include "csv/GenericColumns.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace portico::crm
{

namespace
{

constexpr auto google = std::to_array<KnownColumn>({
    {"First Name", Target::FirstName},
    {"Middle Name", Target::MiddleName},
    {"Last Name", Target::LastName},
    {"Name Prefix", Target::Prefix},
    {"Name Suffix", Target::Suffix},
    {"Nickname", Target::Nickname},
    {"Organization Name", Target::CompanyName},
    {"Organization Title", Target::JobTitle},
    {"Organization Department", Target::Department},
    {"Birthday", Target::Birthday},
    {"Notes", Target::Notes},
    {"Labels", Target::Tags},
});

constexpr auto googleLegacy = std::to_array<KnownColumn>({
    {"Name", Target::DisplayName},
    {"Given Name", Target::FirstName},
    {"Additional Name", Target::MiddleName},
    {"Family Name", Target::LastName},
    {"Name Prefix", Target::Prefix},
    {"Name Suffix", Target::Suffix},
    {"Nickname", Target::Nickname},
    {"Organization 1 - Name", Target::CompanyName},
    {"Organization 1 - Title", Target::JobTitle},
    {"Organization 1 - Department", Target::Department},
    {"Birthday", Target::Birthday},
    {"Notes", Target::Notes},
    {"Group Membership", Target::Tags},
});

constexpr auto googleNumbered = std::to_array<NumberedColumn>({
    {"E-mail", "Value", Target::EmailAddress},
    {"E-mail", "Label", Target::EmailLabel},
    {"E-mail", "Type", Target::EmailLabel},
    {"Phone", "Value", Target::PhoneNumber},
    {"Phone", "Label", Target::PhoneLabel},
    {"Phone", "Type", Target::PhoneLabel},
    {"Address", "Street", Target::Street},
    {"Address", "Extended Address", Target::Street2},
    {"Address", "PO Box", Target::Street2},
    {"Address", "City", Target::City},
    {"Address", "Region", Target::Region},
    {"Address", "Postal Code", Target::PostalCode},
    {"Address", "Country", Target::Country},
    {"Address", "Label", Target::AddressLabel},
    {"Address", "Type", Target::AddressLabel},
    {"Address", "Formatted", Target::Street, true},
    {"Website", "Value", Target::Website},
});

constexpr auto outlook = std::to_array<KnownColumn>({
    {"Title", Target::Prefix},
    {"First Name", Target::FirstName},
    {"Middle Name", Target::MiddleName},
    {"Last Name", Target::LastName},
    {"Suffix", Target::Suffix},
    {"Nickname", Target::Nickname},
    {"Company", Target::CompanyName},
    {"Department", Target::Department},
    {"Job Title", Target::JobTitle},
    {"E-mail Address", Target::EmailAddress, 0},
    {"E-mail 2 Address", Target::EmailAddress, 1},
    {"E-mail 3 Address", Target::EmailAddress, 2},
    {"Business Phone", Target::PhoneNumber, 0, "work"},
    {"Business Phone 2", Target::PhoneNumber, 1, "work"},
    {"Mobile Phone", Target::PhoneNumber, 2, "mobile"},
    {"Home Phone", Target::PhoneNumber, 3, "home"},
    {"Home Phone 2", Target::PhoneNumber, 4, "home"},
    {"Primary Phone", Target::PhoneNumber, 5, "main"},
    {"Other Phone", Target::PhoneNumber, 6, "other"},
    {"Business Fax", Target::PhoneNumber, 7, "work fax"},
    {"Home Fax", Target::PhoneNumber, 8, "home fax"},
    {"Other Fax", Target::PhoneNumber, 9, "fax"},
    {"Company Main Phone", Target::PhoneNumber, 10, "company"},
    {"Car Phone", Target::PhoneNumber, 11, "car"},
    {"Assistant's Phone", Target::PhoneNumber, 12, "assistant"},
    {"Callback", Target::PhoneNumber, 13, "callback"},
    {"ISDN", Target::PhoneNumber, 14, "isdn"},
    {"Pager", Target::PhoneNumber, 15, "pager"},
    {"Radio Phone", Target::PhoneNumber, 16, "radio"},
    {"Telex", Target::PhoneNumber, 17, "telex"},
    {"TTY/TDD Phone", Target::PhoneNumber, 18, "tty"},
    {"Business Street", Target::Street, 0, "work"},
    {"Business Street 2", Target::Street2, 0, "work"},
    {"Business Street 3", Target::Street2, 0, "work"},
    {"Business Address PO Box", Target::Street2, 0, "work"},
    {"Business City", Target::City, 0, "work"},
    {"Business State", Target::Region, 0, "work"},
    {"Business Postal Code", Target::PostalCode, 0, "work"},
    {"Business Country/Region", Target::Country, 0, "work"},
    {"Business Country", Target::Country, 0, "work", ListStyle::None, {}, true},
    {"Home Street", Target::Street, 1, "home"},
    {"Home Street 2", Target::Street2, 1, "home"},
    {"Home Street 3", Target::Street2, 1, "home"},
    {"Home Address PO Box", Target::Street2, 1, "home"},
    {"Home City", Target::City, 1, "home"},
    {"Home State", Target::Region, 1, "home"},
    {"Home Postal Code", Target::PostalCode, 1, "home"},
    {"Home Country/Region", Target::Country, 1, "home"},
    {"Home Country", Target::Country, 1, "home", ListStyle::None, {}, true},
    {"Other Street", Target::Street, 2, "other"},
    {"Other Street 2", Target::Street2, 2, "other"},
    {"Other Street 3", Target::Street2, 2, "other"},
    {"Other Address PO Box", Target::Street2, 2, "other"},
    {"Other City", Target::City, 2, "other"},
    {"Other State", Target::Region, 2, "other"},
    {"Other Postal Code", Target::PostalCode, 2, "other"},
    {"Other Country/Region", Target::Country, 2, "other"},
    {"Other Country", Target::Country, 2, "other", ListStyle::None, {}, true},
    {"Web Page", Target::Website, 0},
    {"Personal Web Page", Target::Website, 1},
    {"Birthday", Target::Birthday},
    {"Notes", Target::Notes},
    {"Categories", Target::Tags, 0, {}, ListStyle::Semicolon},
});

/// German Outlook names of the columns above, without case and accents. Some versions add parentheses, such as `Telefon (privat)`.
constexpr auto outlookGerman = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"anrede", "Title"},
    {"vorname", "First Name"},
    {"weitere vornamen", "Middle Name"},
    {"nachname", "Last Name"},
    {"suffix", "Suffix"},
    {"spitzname", "Nickname"},
    {"firma", "Company"},
    {"abteilung", "Department"},
    {"position", "Job Title"},
    {"e-mail-adresse", "E-mail Address"},
    {"e-mail 2: adresse", "E-mail 2 Address"},
    {"e-mail 3: adresse", "E-mail 3 Address"},
    {"telefon geschaftlich", "Business Phone"},
    {"telefon geschaftlich 2", "Business Phone 2"},
    {"mobiltelefon", "Mobile Phone"},
    {"telefon privat", "Home Phone"},
    {"telefon privat 2", "Home Phone 2"},
    {"haupttelefon", "Primary Phone"},
    {"weiteres telefon", "Other Phone"},
    {"fax geschaftlich", "Business Fax"},
    {"fax privat", "Home Fax"},
    {"weiteres fax", "Other Fax"},
    {"telefon firma", "Company Main Phone"},
    {"autotelefon", "Car Phone"},
    {"telefon assistent", "Assistant's Phone"},
    {"ruckmeldung", "Callback"},
    {"isdn", "ISDN"},
    {"pager", "Pager"},
    // Intended: German Outlook has no other column for it.
    {"mobiltelefon 2", "Radio Phone"},
    {"telex", "Telex"},
    {"telefon fur horbehinderte", "TTY/TDD Phone"},
    {"strasse geschaftlich", "Business Street"},
    {"strasse geschaftlich 2", "Business Street 2"},
    {"strasse geschaftlich 3", "Business Street 3"},
    {"postfach geschaftlich", "Business Address PO Box"},
    {"ort geschaftlich", "Business City"},
    {"region geschaftlich", "Business State"},
    {"postleitzahl geschaftlich", "Business Postal Code"},
    {"land/region geschaftlich", "Business Country/Region"},
    {"strasse privat", "Home Street"},
    {"strasse privat 2", "Home Street 2"},
    {"strasse privat 3", "Home Street 3"},
    {"postfach privat", "Home Address PO Box"},
    {"ort privat", "Home City"},
    {"bundesland/kanton privat", "Home State"},
    {"postleitzahl privat", "Home Postal Code"},
    {"land/region privat", "Home Country/Region"},
    {"weitere strasse", "Other Street"},
    {"weitere strasse 2", "Other Street 2"},
    {"weitere strasse 3", "Other Street 3"},
    {"weiteres postfach", "Other Address PO Box"},
    {"weiterer ort", "Other City"},
    {"weiteres/r bundesland/kanton", "Other State"},
    {"weitere postleitzahl", "Other Postal Code"},
    {"weiteres/e land/region", "Other Country/Region"},
    {"webseite", "Web Page"},
    {"geburtstag", "Birthday"},
    {"notizen", "Notes"},
    {"kategorien", "Categories"},
});

constexpr auto hubspot = std::to_array<KnownColumn>({
    {"Record ID", Target::ExternalIdOf, 0, {}, ListStyle::None, "hubspot"},
    {"Record ID - Contact", Target::ExternalIdOf, 0, {}, ListStyle::None, "hubspot", true},
    {"Salutation", Target::Prefix},
    {"First Name", Target::FirstName},
    {"Last Name", Target::LastName},
    {"Email", Target::EmailAddress, 0},
    {"Work email", Target::EmailAddress, 1, "work"},
    {"Additional email addresses", Target::EmailAddress, 2, {}, ListStyle::Semicolon},
    {"Phone Number", Target::PhoneNumber, 0},
    {"Mobile Phone Number", Target::PhoneNumber, 1, "mobile"},
    {"WhatsApp Phone Number", Target::PhoneNumber, 2, "whatsapp"},
    {"Fax Number", Target::PhoneNumber, 3, "fax"},
    {"Contact owner", Target::OwnerEmail},
    {"Associated Company", Target::CompanyName, 0, {}, ListStyle::None, {}, true},
    {"Company name", Target::CompanyName},
    {"Job Title", Target::JobTitle},
    {"Website URL", Target::Website, 0},
    {"Street Address", Target::Street, 0},
    {"Street Address 2", Target::Street2, 0},
    {"City", Target::City, 0},
    {"State/Region", Target::Region, 0},
    {"Postal Code", Target::PostalCode, 0},
    {"Country/Region", Target::Country, 0},
    {"Date of birth", Target::Birthday},
    {"Lead Status", Target::Tags},
    {"Lifecycle Stage", Target::Lifecycle},
    {"Unsubscribed from all email", Target::DoNotEmail},
    {"Opted out of all email", Target::DoNotEmail, 0, {}, ListStyle::None, {}, true},
});

using Bindings = std::vector<std::optional<Binding>>;

bool sameName(std::string_view left, std::string_view right)
{
    return left.size() == right.size() && std::equal(left.begin(), left.end(), right.begin(),
                                                     [](char a, char b)
                                                     {
                                                         const auto lower = [](char c)
                                                         { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
                                                         return lower(a) == lower(b);
                                                     });
}

const KnownColumn* findColumn(std::span<const KnownColumn> columns, std::string_view name)
{
    const auto found = std::find_if(columns.begin(), columns.end(), [&](const KnownColumn& c) { return sameName(c.name, name); });
    return found == columns.end() ? nullptr : &*found;
}

/// The number and the part of `E-mail 12 - Value`.
std::optional<Binding> numberedBinding(std::string_view name)
{
    for (const auto& column : googleNumberedColumns())
    {
        if (name.size() < column.list.size() + 6 || !sameName(name.substr(0, column.list.size()), column.list)) continue;
        const auto dash = name.find(" - ");
        if (dash == std::string_view::npos || !sameName(name.substr(dash + 3), column.part)) continue;
        const auto path =
            FieldPath::parse("websites[" + std::string(trim(name.substr(column.list.size(), dash - column.list.size()))) + ']');
        if (!path || path->index == 0) return std::nullopt;
        return Binding{{column.target, path->index - 1, {}}, {}, ListStyle::Colons, true, column.whole};
    }
    return std::nullopt;
}

Bindings knownBindings(std::span<const KnownColumn> columns, const std::vector<std::string>& names)
{
    Bindings bindings;
    for (const auto& name : names)
    {
        auto& binding = bindings.emplace_back();
        if (const auto* column = findColumn(columns, name))
        {
            const auto isPlain = column->list == ListStyle::None && column->target >= Target::Emails;
            const auto style = isPlain ? listStyleOf(ImportPreset::Generic, column->target) : column->list;
            binding = Binding{{column->target, column->index, std::string(column->key)}, column->label, style, false, false};
        }
    }
    return bindings;
}

Bindings googleBindings(std::span<const KnownColumn> columns, const std::vector<std::string>& names)
{
    auto bindings = knownBindings(columns, names);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        if (!bindings[i]) bindings[i] = numberedBinding(names[i]);
        if (!bindings[i]) continue;
        bindings[i]->foreignLabels = true;
        const auto target = bindings[i]->path.target;
        if (target != Target::Notes && target != Target::Birthday) bindings[i]->list = ListStyle::Colons;
    }
    return bindings;
}

class Header
{
public:
    explicit Header(const std::vector<std::string>& names) : _names(names) {}
    bool has(std::string_view name) const
    {
        return std::any_of(_names.begin(), _names.end(), [&](const std::string& other) { return sameName(other, name); });
    }
    bool hasAny(std::initializer_list<std::string_view> names) const
    {
        return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return has(name); });
    }

private:
    const std::vector<std::string>& _names;
};

/// Translates Outlook's column names to English; others are unchanged.
std::vector<std::string> inEnglish(std::vector<std::string> names)
{
    for (auto& name : names)
    {
        auto plain = fold(name);
        std::erase_if(plain, [](char c) { return c == '(' || c == ')'; });
        const auto found = std::find_if(outlookGerman.begin(), outlookGerman.end(), [&](const auto& each) { return each.first == plain; });
        if (found != outlookGerman.end()) name = found->second;
    }
    return names;
}

bool isOutlook(const std::vector<std::string>& names)
{
    const Header header(names);
    return header.has("E-mail Address") && header.hasAny({"Business Street", "Business Phone"});
}

} // namespace

std::span<const KnownColumn> googleColumns() { return google; }
std::span<const KnownColumn> googleLegacyColumns() { return googleLegacy; }
std::span<const KnownColumn> outlookColumns() { return outlook; }
std::span<const KnownColumn> hubspotColumns() { return hubspot; }
std::span<const NumberedColumn> googleNumberedColumns() { return googleNumbered; }

ImportPreset recognisePreset(const std::vector<std::string>& names)
{
    const Header header(names);
    // Google leaves out the numbered columns that no contact needs.
    if (header.has("First Name") && (header.has("E-mail 1 - Value") || (header.has("Labels") && header.has("Organization Name"))))
        return ImportPreset::Google;
    if (header.has("Given Name") && header.hasAny({"E-mail 1 - Type", "E-mail 1 - Value", "Group Membership"}))
        return ImportPreset::GoogleLegacy;
    if (isOutlook(names) || isOutlook(inEnglish(names))) return ImportPreset::Outlook;
    if (header.hasAny({"Record ID", "Record ID - Contact"}) && header.has("Email")) return ImportPreset::Hubspot;
    return ImportPreset::Generic;
}

Bindings presetBindings(ImportPreset preset, const std::vector<std::string>& names)
{
    switch (preset)
    {
    case ImportPreset::Google:
        return googleBindings(googleColumns(), names);
    case ImportPreset::GoogleLegacy:
        return googleBindings(googleLegacyColumns(), names);
    case ImportPreset::Outlook:
        return knownBindings(outlookColumns(), inEnglish(names));
    case ImportPreset::Hubspot:
        return knownBindings(hubspotColumns(), names);
    default:
        return genericBindings(names);
    }
}

ListStyle listStyleOf(ImportPreset preset, Target target)
{
    if (target == Target::EmailAddress || target == Target::PhoneNumber || target == Target::Website) return ListStyle::Several;
    if (target != Target::Tags && target != Target::Emails && target != Target::Phones && target != Target::Websites)
        return ListStyle::None;
    if (preset == ImportPreset::Google || preset == ImportPreset::GoogleLegacy) return ListStyle::Colons;
    if (preset == ImportPreset::Outlook || preset == ImportPreset::Hubspot) return ListStyle::Semicolon;
    return ListStyle::Escaped;
}

} // namespace portico::crm
