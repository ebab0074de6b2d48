#include "csv/CsvWriter.h"

#include "exchange/FieldPath.h"
#include "exchange/FieldValue.h"

#include <algorithm>
#include <vector>

namespace portico::crm
{

namespace
{

/// Maximum columns that the importer accepts.
constexpr std::size_t maxWrittenColumns = 200;

/// Beside those with a path: `id`, before the others, and two times, behind them.
constexpr std::size_t timeColumns = 2;

/// Writes CSV with field paths as column names, which the importer reads without loss.
class GenericCsvWriter final : public CsvWriter
{
public:
    GenericCsvWriter(const ExportStyle& style, const ExportShape& shape) : CsvWriter(style)
    {
        addScalars();
        addLists(shape);
        addCustomFields(shape);
        _header.emplace_back("id");
        for (const auto& path : _paths) _header.push_back(path.text());
        for (const auto* time : {"createdAt", "updatedAt"})
            if (_style.wants(time)) _header.emplace_back(time);
    }

protected:
    void fill(const Contact& contact, std::vector<std::string>& cells) const override
    {
        cells[0] = contact.id.text();
        for (std::size_t i = 0; i < _paths.size(); ++i) cells[i + 1] = valueAt(contact, _paths[i]);
        for (auto i = _paths.size() + 1; i < cells.size(); ++i)
            cells[i] = toString(_header[i] == "createdAt" ? contact.createdAt : contact.updatedAt);
    }

private:
    void addColumn(FieldPath path)
    {
        if (_style.wants(memberOf(path.target))) _paths.push_back(std::move(path));
    }

    void addScalars()
    {
        using enum Target;
        for (const auto target : {DisplayName, Prefix, FirstName, MiddleName, LastName, Suffix, Nickname, CompanyName, JobTitle, Department,
                                  Birthday, Tags, Lifecycle, Source, SourceDetail, OwnerUserId})
            addColumn({target, 0, {}});
    }

    void addLists(const ExportShape& shape)
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

    void addCustomFields(const ExportShape& shape)
    {
        if (shape.customFields.empty()) return;
        if (_paths.size() + shape.customFields.size() + 1 + timeColumns > maxWrittenColumns)
            addColumn({Target::CustomMap, 0, {}});
        else
            for (const auto& key : shape.customFields) addColumn({Target::CustomValue, 0, key});
    }

    std::vector<FieldPath> _paths;
};

} // namespace

std::unique_ptr<ContactWriter> genericCsvWriter(const ExportStyle& style, const ExportShape& shape)
{
    return std::make_unique<GenericCsvWriter>(style, shape);
}

} // namespace portico::crm
