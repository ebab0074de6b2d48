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

/// A name without case, spaces and punctuation. Elements of lists get the next free place.
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
});

/// What stands before the parts of an address, and the label that it means.
constexpr auto addressKinds = std::to_array<std::pair<std::string_view, std::string_view>>({{"", ""},
                                                                                            {"work", "work"},
                                                                                            {"business", "work"},
                                                                                            {"company", "work"},
                                                                                            {"home", "home"},
                                                                                            {"other", "other"},
                                                                                            {"mailing", ""},
                                                                                            {"billing", "billing"}});

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
        if (!synonym) return bindAddress(column, name);
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

    void bindAddress(std::size_t column, std::string_view name)
    {
        for (const auto& [kind, label] : addressKinds)
        {
            if (!name.starts_with(kind)) continue;
            const auto* part = find(addressSynonyms, name.substr(kind.size()));
            if (!part) continue;
            FieldPath path{part->target, addressOf(label), {}};
            if (isTaken(path)) return;
            _bindings[column] = Binding{std::move(path), label, ListStyle::None, false, false};
            return;
        }
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
