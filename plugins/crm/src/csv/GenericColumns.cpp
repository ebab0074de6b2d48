#include "csv/GenericColumns.h"

#include "csv/Presets.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <utility>

namespace portico::crm
{

namespace
{

/// A name without case, accents, spaces and punctuation, in English or German. Elements of lists get the next free place.
struct Synonym
{
    std::string_view name;
    Target target;
    std::string_view label = {};
};

constexpr auto synonyms = std::to_array<Synonym>({
    {"firstname", Target::FirstName},
    {"first", Target::FirstName},
    {"givenname", Target::FirstName},
    {"forename", Target::FirstName},
    {"middlename", Target::MiddleName},
    {"middle", Target::MiddleName},
    {"additionalname", Target::MiddleName},
    {"lastname", Target::LastName},
    {"last", Target::LastName},
    {"surname", Target::LastName},
    {"familyname", Target::LastName},
    {"prefix", Target::Prefix},
    {"nameprefix", Target::Prefix},
    {"honorific", Target::Prefix},
    {"salutation", Target::Prefix},
    {"suffix", Target::Suffix},
    {"namesuffix", Target::Suffix},
    {"nickname", Target::Nickname},
    {"nick", Target::Nickname},
    {"displayname", Target::DisplayName},
    {"name", Target::DisplayName},
    {"fullname", Target::DisplayName},
    {"contactname", Target::DisplayName},
    {"contact", Target::DisplayName},
    {"company", Target::CompanyName},
    {"companyname", Target::CompanyName},
    {"organization", Target::CompanyName},
    {"organisation", Target::CompanyName},
    {"organizationname", Target::CompanyName},
    {"employer", Target::CompanyName},
    {"account", Target::CompanyName},
    {"accountname", Target::CompanyName},
    {"jobtitle", Target::JobTitle},
    {"title", Target::JobTitle},
    {"position", Target::JobTitle},
    {"role", Target::JobTitle},
    {"department", Target::Department},
    {"dept", Target::Department},
    {"birthday", Target::Birthday},
    {"birthdate", Target::Birthday},
    {"dateofbirth", Target::Birthday},
    {"dob", Target::Birthday},
    {"lifecycle", Target::Lifecycle},
    {"lifecyclestage", Target::Lifecycle},
    {"leadsource", Target::SourceDetail},
    {"sourcedetail", Target::SourceDetail},
    {"owneremail", Target::OwnerEmail},
    {"owner", Target::OwnerEmail},
    {"contactowner", Target::OwnerEmail},
    {"assignedto", Target::OwnerEmail},
    {"donotemail", Target::DoNotEmail},
    {"emailoptout", Target::DoNotEmail},
    {"unsubscribed", Target::DoNotEmail},
    {"donotcall", Target::DoNotPhone},
    {"donotphone", Target::DoNotPhone},
    {"donottext", Target::DoNotText},
    {"donotsms", Target::DoNotText},
    {"smsoptout", Target::DoNotText},
    {"tags", Target::Tags},
    {"tag", Target::Tags},
    {"labels", Target::Tags},
    {"categories", Target::Tags},
    {"category", Target::Tags},
    {"groups", Target::Tags},
    {"keywords", Target::Tags},
    {"notes", Target::Notes},
    {"note", Target::Notes},
    {"comments", Target::Notes},
    {"comment", Target::Notes},
    {"description", Target::Notes},
    {"remarks", Target::Notes},
    {"emails", Target::Emails},
    {"phones", Target::Phones},
    {"websites", Target::Websites},
    {"email", Target::EmailAddress},
    {"emailaddress", Target::EmailAddress},
    {"mail", Target::EmailAddress},
    {"primaryemail", Target::EmailAddress},
    {"secondaryemail", Target::EmailAddress},
    {"otheremail", Target::EmailAddress, "other"},
    {"workemail", Target::EmailAddress, "work"},
    {"businessemail", Target::EmailAddress, "work"},
    {"companyemail", Target::EmailAddress, "work"},
    {"homeemail", Target::EmailAddress, "home"},
    {"personalemail", Target::EmailAddress, "home"},
    {"privateemail", Target::EmailAddress, "home"},
    {"phone", Target::PhoneNumber},
    {"phonenumber", Target::PhoneNumber},
    {"telephone", Target::PhoneNumber},
    {"telephonenumber", Target::PhoneNumber},
    {"tel", Target::PhoneNumber},
    {"primaryphone", Target::PhoneNumber},
    {"secondaryphone", Target::PhoneNumber},
    {"otherphone", Target::PhoneNumber, "other"},
    {"mobile", Target::PhoneNumber, "mobile"},
    {"mobilephone", Target::PhoneNumber, "mobile"},
    {"mobilenumber", Target::PhoneNumber, "mobile"},
    {"mobilephonenumber", Target::PhoneNumber, "mobile"},
    {"cell", Target::PhoneNumber, "mobile"},
    {"cellphone", Target::PhoneNumber, "mobile"},
    {"workphone", Target::PhoneNumber, "work"},
    {"businessphone", Target::PhoneNumber, "work"},
    {"officephone", Target::PhoneNumber, "work"},
    {"homephone", Target::PhoneNumber, "home"},
    {"privatephone", Target::PhoneNumber, "home"},
    {"fax", Target::PhoneNumber, "fax"},
    {"faxnumber", Target::PhoneNumber, "fax"},
    {"workfax", Target::PhoneNumber, "work fax"},
    {"businessfax", Target::PhoneNumber, "work fax"},
    {"homefax", Target::PhoneNumber, "home fax"},
    {"pager", Target::PhoneNumber, "pager"},
    {"website", Target::Website},
    {"websiteurl", Target::Website},
    {"web", Target::Website},
    {"webpage", Target::Website},
    {"url", Target::Website},
    {"homepage", Target::Website},
    {"linkedin", Target::ProfileValue, "linkedin"},
    {"linkedinurl", Target::ProfileValue, "linkedin"},
    {"linkedinprofile", Target::ProfileValue, "linkedin"},
    {"twitter", Target::ProfileValue, "twitter"},
    {"twitterhandle", Target::ProfileValue, "twitter"},
    {"facebook", Target::ProfileValue, "facebook"},
    {"instagram", Target::ProfileValue, "instagram"},
    {"xing", Target::ProfileValue, "xing"},
    {"github", Target::ProfileValue, "github"},
    {"mastodon", Target::ProfileValue, "mastodon"},
    {"skype", Target::ProfileValue, "skype"},
    {"vorname", Target::FirstName},
    {"zweitervorname", Target::MiddleName},
    {"weiterevornamen", Target::MiddleName},
    {"nachname", Target::LastName},
    {"familienname", Target::LastName},
    {"zuname", Target::LastName},
    {"anrede", Target::Prefix},
    {"titel", Target::Prefix},
    {"spitzname", Target::Nickname},
    {"anzeigename", Target::DisplayName},
    {"vollstandigername", Target::DisplayName},
    {"vorundnachname", Target::DisplayName},
    {"ansprechpartner", Target::DisplayName},
    {"kontakt", Target::DisplayName},
    {"firma", Target::CompanyName},
    {"firmenname", Target::CompanyName},
    {"unternehmen", Target::CompanyName},
    {"arbeitgeber", Target::CompanyName},
    {"funktion", Target::JobTitle},
    {"beruf", Target::JobTitle},
    {"berufsbezeichnung", Target::JobTitle},
    {"abteilung", Target::Department},
    {"geburtstag", Target::Birthday},
    {"geburtsdatum", Target::Birthday},
    {"herkunft", Target::SourceDetail},
    {"quelle", Target::SourceDetail},
    {"schlagworter", Target::Tags},
    {"schlagwort", Target::Tags},
    {"stichworter", Target::Tags},
    {"kategorien", Target::Tags},
    {"kategorie", Target::Tags},
    {"gruppen", Target::Tags},
    {"gruppe", Target::Tags},
    {"notizen", Target::Notes},
    {"notiz", Target::Notes},
    {"bemerkungen", Target::Notes},
    {"bemerkung", Target::Notes},
    {"anmerkungen", Target::Notes},
    {"anmerkung", Target::Notes},
    {"kommentar", Target::Notes},
    {"beschreibung", Target::Notes},
    {"emailadresse", Target::EmailAddress},
    {"mailadresse", Target::EmailAddress},
    {"telefon", Target::PhoneNumber},
    {"telefonnummer", Target::PhoneNumber},
    {"telefonnr", Target::PhoneNumber},
    {"rufnummer", Target::PhoneNumber},
    {"festnetz", Target::PhoneNumber},
    {"mobil", Target::PhoneNumber, "mobile"},
    {"mobiltelefon", Target::PhoneNumber, "mobile"},
    {"mobilnummer", Target::PhoneNumber, "mobile"},
    {"telefonmobil", Target::PhoneNumber, "mobile"},
    {"handy", Target::PhoneNumber, "mobile"},
    {"handynummer", Target::PhoneNumber, "mobile"},
    {"telefax", Target::PhoneNumber, "fax"},
    {"faxnummer", Target::PhoneNumber, "fax"},
    {"faxgeschaftlich", Target::PhoneNumber, "work fax"},
    {"faxprivat", Target::PhoneNumber, "home fax"},
    {"webseite", Target::Website},
    {"internetseite", Target::Website},
    {"internet", Target::Website},
});

constexpr auto addressSynonyms = std::to_array<Synonym>({
    {"address", Target::Street},
    {"street", Target::Street},
    {"streetaddress", Target::Street},
    {"addressline1", Target::Street},
    {"address1", Target::Street},
    {"street1", Target::Street},
    {"addressline2", Target::Street2},
    {"address2", Target::Street2},
    {"street2", Target::Street2},
    {"streetaddress2", Target::Street2},
    {"city", Target::City},
    {"town", Target::City},
    {"locality", Target::City},
    {"state", Target::Region},
    {"region", Target::Region},
    {"stateregion", Target::Region},
    {"stateprovince", Target::Region},
    {"province", Target::Region},
    {"county", Target::Region},
    {"zip", Target::PostalCode},
    {"zipcode", Target::PostalCode},
    {"postalcode", Target::PostalCode},
    {"postcode", Target::PostalCode},
    {"zippostalcode", Target::PostalCode},
    {"country", Target::Country},
    {"countryregion", Target::Country},
    {"strasse", Target::Street},
    {"strassehausnummer", Target::Street},
    {"strasseundhausnummer", Target::Street},
    {"strassenr", Target::Street},
    {"adresse", Target::Street},
    {"anschrift", Target::Street},
    {"hausnummer", Target::Street},
    {"hausnr", Target::Street},
    {"adresszusatz", Target::Street2},
    {"adresse2", Target::Street2},
    {"strasse2", Target::Street2},
    {"postfach", Target::Street2},
    {"ort", Target::City},
    {"stadt", Target::City},
    {"wohnort", Target::City},
    {"bundesland", Target::Region},
    {"kanton", Target::Region},
    {"plz", Target::PostalCode},
    {"postleitzahl", Target::PostalCode},
    {"land", Target::Country},
    {"staat", Target::Country},
    {"landregion", Target::Country},
});

/// What stands before or behind the parts of an address, and a phone or an e-mail address, and the label that it means.
constexpr auto kinds = std::to_array<std::pair<std::string_view, std::string_view>>({{"", ""},
                                                                                     {"work", "work"},
                                                                                     {"business", "work"},
                                                                                     {"company", "work"},
                                                                                     {"home", "home"},
                                                                                     {"other", "other"},
                                                                                     {"mailing", ""},
                                                                                     {"billing", "billing"},
                                                                                     {"geschaftlich", "work"},
                                                                                     {"geschaeftlich", "work"},
                                                                                     {"dienstlich", "work"},
                                                                                     {"arbeit", "work"},
                                                                                     {"firma", "work"},
                                                                                     {"privat", "home"},
                                                                                     {"rechnungs", "billing"}});

/// Sizes of the lists that get places.
enum class Place : unsigned char
{
    Email,
    Phone,
    Website,
    Profile,
    External
};

std::optional<Place> placeOf(Target target)
{
    switch (target)
    {
    case Target::EmailAddress:
        return Place::Email;
    case Target::PhoneNumber:
        return Place::Phone;
    case Target::Website:
        return Place::Website;
    case Target::ProfileValue:
        return Place::Profile;
    case Target::ExternalId:
        return Place::External;
    default:
        return std::nullopt;
    }
}

std::string plainName(std::string_view name)
{
    std::string plain;
    for (const char c : fold(name))
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80) plain += c;
    return plain;
}

std::string_view withoutNumber(std::string_view name)
{
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name;
}

template <class List>
const Synonym* find(const List& list, std::string_view name)
{
    const auto found = std::find_if(list.begin(), list.end(), [&](const Synonym& s) { return s.name == name; });
    return found == list.end() ? nullptr : &*found;
}

class GenericBinder
{
public:
    std::vector<std::optional<Binding>> bind(const std::vector<std::string>& names)
    {
        _bindings.resize(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) bindPath(i, names[i]);
        for (std::size_t i = 0; i < names.size(); ++i)
            if (!_bindings[i]) bindSynonym(i, plainName(names[i]));
        nameBesideFirstName(names);
        return std::move(_bindings);
    }

private:
    void bindPath(std::size_t column, std::string_view name)
    {
        auto path = FieldPath::parse(name);
        if (!path || isTaken(*path)) return;
        if (const auto place = placeOf(path->target)) _taken[static_cast<std::size_t>(*place)].set(path->index);
        if (memberOf(path->target) == "addresses") _addressKinds.resize(std::max(_addressKinds.size(), path->index + 1));
        const auto style = listStyleOf(ImportPreset::Generic, path->target);
        _bindings[column] = Binding{*std::move(path), {}, style, false, false};
    }

    void bindSynonym(std::size_t column, std::string_view name)
    {
        const auto* synonym = find(synonyms, name);
        if (!synonym) synonym = find(synonyms, withoutNumber(name));
        if (synonym && !(synonym->target >= Target::EmailAddress) && synonym->name != name) synonym = nullptr;
        if (!synonym) return bindKind(column, name);
        FieldPath path{synonym->target, 0, {}};
        if (const auto place = placeOf(synonym->target))
        {
            const auto index = freePlace(*place);
            if (!index) return;
            path.index = *index;
        }
        else if (synonym->target != Target::Tags && synonym->target != Target::Notes && isTaken(path))
            return;
        _bindings[column] = Binding{std::move(path), synonym->label, listStyleOf(ImportPreset::Generic, synonym->target), false, false};
    }

    /// A part of an address, phone or e-mail address with its kind.
    void bindKind(std::size_t column, std::string_view name)
    {
        for (const auto& [kind, label] : kinds)
        {
            if (name.starts_with(kind) && bindPart(column, name.substr(kind.size()), label)) return;
            const auto plain = withoutNumber(name);
            if (plain.ends_with(kind) && bindPart(column, plain.substr(0, plain.size() - kind.size()), label)) return;
        }
    }

    bool bindPart(std::size_t column, std::string_view name, std::string_view label)
    {
        if (const auto* part = find(addressSynonyms, name))
        {
            FieldPath path{part->target, addressOf(label), {}};
            // A number of a house is in a column of its own, and goes behind the street.
            if (!isTaken(path) || name.starts_with("hausn"))
                _bindings[column] = Binding{std::move(path), label, ListStyle::None, false, false};
            return true;
        }
        const auto* synonym = find(synonyms, name);
        if (!synonym || !synonym->label.empty() || (synonym->target != Target::EmailAddress && synonym->target != Target::PhoneNumber))
            return false;
        if (const auto index = freePlace(*placeOf(synonym->target)))
            _bindings[column] = Binding{{synonym->target, *index, {}}, label, ListStyle::None, false, false};
        return true;
    }

    /// In German, `Name` beside `Vorname` is the last name.
    void nameBesideFirstName(const std::vector<std::string>& names)
    {
        const auto columnOf = [&](std::string_view name)
        { return std::find_if(names.begin(), names.end(), [&](const auto& each) { return plainName(each) == name; }); };
        const auto name = columnOf("name");
        if (name == names.end() || columnOf("vorname") == names.end() || isTaken({Target::LastName, 0, {}})) return;
        auto& binding = _bindings[static_cast<std::size_t>(name - names.begin())];
        if (binding) binding->path.target = Target::LastName;
    }

    std::optional<std::size_t> freePlace(Place place)
    {
        auto& taken = _taken[static_cast<std::size_t>(place)];
        for (std::size_t i = 0; i < taken.size(); ++i)
        {
            if (taken[i]) continue;
            taken.set(i);
            return i;
        }
        return std::nullopt;
    }

    /// Parts with the same word before them are one address.
    std::size_t addressOf(std::string_view label)
    {
        for (std::size_t i = 0; i < _addressKinds.size(); ++i)
            if (_addressKinds[i] == label) return i;
        _addressKinds.emplace_back(label);
        return _addressKinds.size() - 1;
    }

    bool isTaken(const FieldPath& path) const
    {
        return std::any_of(_bindings.begin(), _bindings.end(), [&](const auto& binding) { return binding && binding->path == path; });
    }

    std::vector<std::optional<Binding>> _bindings;
    std::array<std::bitset<100>, 5> _taken;
    std::vector<std::optional<std::string_view>> _addressKinds;
};

} // namespace

std::vector<std::optional<Binding>> genericBindings(const std::vector<std::string>& names) { return GenericBinder().bind(names); }

} // namespace portico::crm
