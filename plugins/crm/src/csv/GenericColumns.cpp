#include "csv/GenericColumns.h"

#include "csv/ColumnNames.h"
#include "csv/Presets.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <initializer_list>
#include <utility>

namespace portico::crm
{

namespace
{

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

/// Returns the part of `Name / First Name`, `Contact: Email` or `person.firstName` that describes the column. The part before it must name
/// a person or a group of values: `Created by / Name` is about another person.
std::string partName(std::string_view name)
{
    constexpr auto groups =
        std::to_array<std::string_view>({"name", "names", "fullname", "email", "emails", "phone", "phones", "address", "addresses",
                                         "contact", "contacts", "person", "people", "lead", "kontakt", "links", "domainname"});
    const auto at = name.find_last_of("/:>.|");
    if (at == std::string_view::npos || at == 0) return {};
    const auto group = plainName(name.substr(0, at));
    return std::find(groups.begin(), groups.end(), group) == groups.end() ? std::string() : plainName(name.substr(at + 1));
}

/// `E-mail 2 Address` is one more of `E-mail Address`.
std::string withoutDigits(std::string_view name)
{
    std::string plain(name);
    std::erase_if(plain, [](char c) { return c >= '0' && c <= '9'; });
    return plain;
}

std::string_view withoutNumber(std::string_view name)
{
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name;
}

template <class List>
const ColumnName* find(const List& list, std::string_view name)
{
    const auto found = std::find_if(list.begin(), list.end(), [&](const ColumnName& s) { return s.name == name; });
    return found == list.end() ? nullptr : &*found;
}

class GenericBinder
{
public:
    std::vector<std::optional<Binding>> bind(const std::vector<std::string>& names)
    {
        _bindings.resize(names.size());
        for (std::size_t i = 0; i < names.size(); ++i) bindPath(i, names[i]);
        for (const auto& name : names) _names.push_back(plainName(name));
        for (std::size_t i = 0; i < names.size(); ++i)
            if (!_bindings[i]) bindSynonym(i, meantName(_names[i]));
        for (std::size_t i = 0; i < names.size(); ++i)
            if (const auto part = _bindings[i] ? std::string() : partName(names[i]); !part.empty()) bindSynonym(i, meantName(part));
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
        // Our own columns have one value for each place.
        const bool isPlace = placeOf(path->target).has_value();
        const auto style = isPlace ? ListStyle::None : listStyleOf(ImportPreset::Generic, path->target);
        _bindings[column] = Binding{*std::move(path), {}, style, false, false};
    }

    bool hasName(std::initializer_list<std::string_view> wanted) const
    {
        return std::any_of(wanted.begin(), wanted.end(),
                           [&](std::string_view name) { return std::find(_names.begin(), _names.end(), name) != _names.end(); });
    }

    /// Resolves a name that depends on the other columns: `Title` beside `Job Title` is the form of address, `Birth Day` beside `Birth
    /// Month` a day.
    std::string_view meantName(std::string_view name) const
    {
        const auto isJob = [](const std::string& each)
        {
            const auto* synonym = each == "title" ? nullptr : find(columnNames(), each);
            return synonym && synonym->target == Target::JobTitle;
        };
        if (name == "title" && std::any_of(_names.begin(), _names.end(), isJob)) return "prefix";
        const auto* synonym = find(columnNames(), name);
        const bool inColumns = hasName({"birthmonth", "monthofbirth", "geburtsmonat"});
        if (synonym && synonym->target == Target::Birthday && inColumns) return "dayofbirth";
        return name;
    }

    void bindSynonym(std::size_t column, std::string_view name)
    {
        const auto* synonym = find(columnNames(), name);
        if (!synonym) synonym = find(columnNames(), withoutNumber(name));
        if (!synonym) synonym = find(columnNames(), withoutDigits(name));
        if (synonym && !(synonym->target >= Target::EmailAddress) && synonym->name != name) synonym = nullptr;
        if (!synonym) return bindKind(column, name);
        FieldPath path{synonym->target, 0, {}};
        if (const auto place = placeOf(synonym->target))
        {
            const auto index = freePlace(*place);
            if (!index) return;
            path.index = *index;
        }
        else
        {
            if (synonym->target == Target::PhoneCallingCode) path.index = latestPhone(column);
            if (synonym->target != Target::Tags && synonym->target != Target::Notes && isTaken(path)) return;
        }
        _bindings[column] = Binding{std::move(path), synonym->label, listStyleOf(ImportPreset::Generic, synonym->target), false, false};
    }

    /// A part of an address, phone or e-mail address with its kind.
    void bindKind(std::size_t column, std::string_view name)
    {
        for (const auto& [kind, label] : columnKinds())
        {
            if (name.starts_with(kind) && bindPart(column, name.substr(kind.size()), label)) return;
            const auto plain = withoutNumber(name);
            if (plain.ends_with(kind) && bindPart(column, plain.substr(0, plain.size() - kind.size()), label)) return;
        }
    }

    bool bindPart(std::size_t column, std::string_view name, std::string_view label)
    {
        if (const auto* part = find(addressColumnNames(), name))
        {
            FieldPath path{part->target, addressOf(label), {}};
            // A house number may have a separate column; it is appended to the street.
            if (!isTaken(path) || name.starts_with("hausn"))
                _bindings[column] = Binding{std::move(path), label, ListStyle::None, false, false};
            return true;
        }
        const auto* synonym = find(columnNames(), name);
        if (!synonym || !synonym->label.empty() || (synonym->target != Target::EmailAddress && synonym->target != Target::PhoneNumber))
            return false;
        if (const auto index = freePlace(*placeOf(synonym->target)))
            _bindings[column] =
                Binding{{synonym->target, *index, {}}, label, listStyleOf(ImportPreset::Generic, synonym->target), false, false};
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

    /// A calling code belongs to the number before it, else to the first one.
    std::size_t latestPhone(std::size_t column) const
    {
        std::size_t latest = 0;
        for (std::size_t i = 0; i < column; ++i)
            if (_bindings[i] && _bindings[i]->path.target == Target::PhoneNumber) latest = _bindings[i]->path.index;
        return latest;
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
    std::vector<std::string> _names;
    std::array<std::bitset<100>, 5> _taken;
    std::vector<std::optional<std::string_view>> _addressKinds;
};

} // namespace

std::vector<std::optional<Binding>> genericBindings(const std::vector<std::string>& names) { return GenericBinder().bind(names); }

} // namespace portico::crm
