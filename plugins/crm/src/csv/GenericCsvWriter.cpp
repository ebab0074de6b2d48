#include "csv/GenericCsvWriter.h"

#include "text/FieldValue.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

/// The importer takes no more.
constexpr std::size_t mostWrittenColumns = 200;

/// Beside those with a path: `id`, before the others, and two times, behind them.
constexpr std::size_t timeColumns = 2;

} // namespace

GenericCsvWriter::GenericCsvWriter(const ExportStyle& style, const ExportShape& shape) : CsvWriter(style)
{
    addScalars();
    addLists(shape);
    addCustomFields(shape);
    _header.emplace_back("id");
    for (const auto& path : _paths) _header.push_back(path.text());
    for (const auto* time : {"createdAt", "updatedAt"})
        if (_style.wants(time)) _header.emplace_back(time);
}

void GenericCsvWriter::addColumn(FieldPath path)
{
    if (_style.wants(memberOf(path.target))) _paths.push_back(std::move(path));
}

void GenericCsvWriter::addScalars()
{
    using enum Target;
    for (const auto target : {DisplayName, Prefix, FirstName, MiddleName, LastName, Suffix, Nickname, CompanyName, JobTitle, Department,
                              Birthday, Tags, Lifecycle, Source, SourceDetail, OwnerUserId})
        addColumn({target, 0, {}});
}

void GenericCsvWriter::addLists(const ExportShape& shape)
{
    using enum Target;
    const auto add = [this](std::size_t count, std::initializer_list<Target> parts)
    {
        for (std::size_t i = 0; i < count; ++i)
            for (const auto part : parts) addColumn({part, i, {}});
    };
    if (shape.emailPrimaries)
        add(shape.emails, {EmailAddress, EmailLabel, EmailPrimary});
    else
        add(shape.emails, {EmailAddress, EmailLabel});
    if (shape.phonePrimaries)
        add(shape.phones, {PhoneNumber, PhoneLabel, PhonePrimary});
    else
        add(shape.phones, {PhoneNumber, PhoneLabel});
    add(shape.addresses, {Street, Street2, City, Region, PostalCode, Country, AddressLabel});
    add(shape.websites, {Website});
    add(shape.socialProfiles, {ProfileService, ProfileValue});
    add(shape.externalIds, {ExternalSystem, ExternalId});
    if (shape.doNotContact) add(1, {DoNotEmail, DoNotPhone, DoNotText});
}

void GenericCsvWriter::addCustomFields(const ExportShape& shape)
{
    if (shape.customFields.empty()) return;
    if (_paths.size() + shape.customFields.size() + 1 + timeColumns > mostWrittenColumns)
        addColumn({Target::CustomMap, 0, {}});
    else
        for (const auto& key : shape.customFields) addColumn({Target::CustomValue, 0, key});
}

void GenericCsvWriter::fill(const Contact& contact, std::vector<std::string>& cells) const
{
    cells[0] = contact.id.text();
    for (std::size_t i = 0; i < _paths.size(); ++i) cells[i + 1] = valueAt(contact, _paths[i]);
    for (auto i = _paths.size() + 1; i < cells.size(); ++i)
        cells[i] = toString(_header[i] == "createdAt" ? contact.createdAt : contact.updatedAt);
}

} // namespace portico::crm
