#include "csv/CsvWriter.h"

#include "csv/Presets.h"
#include "exchange/FieldValue.h"
#include "exchange/PlainValues.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

constexpr std::string_view primaryMark = "* ";

std::string numbered(std::string_view list, std::size_t number, std::string_view part)
{
    return std::string(list) + ' ' + std::to_string(number) + " - " + std::string(part);
}

/// Notes are no part of a contact.
bool isWritten(const KnownColumn& column) { return column.target != Target::Notes; }

/// Marked where the first one is not the primary one.
template <class Element>
std::string labelOf(const std::vector<Element>& list, const Element& element)
{
    const auto label = capitalLabel(element.label);
    return element.primary && &element != &list.front() ? std::string(primaryMark) + label : label;
}

/// Google's own group, without which a contact is not shown.
std::string groupsOf(const Contact& contact)
{
    auto groups = contact.tags;
    groups.emplace_back("* myContacts");
    return joinList(groups, ListStyle::Colons);
}

/// Fills cells from left to right.
class Cells
{
public:
    explicit Cells(std::vector<std::string>& cells) : _next(cells.begin()) {}
    void put(std::string value) { *_next++ = std::move(value); }
    void skip(std::size_t count) { _next += static_cast<std::ptrdiff_t>(count); }

private:
    std::vector<std::string>::iterator _next;
};

/// CSV as Google Contacts reads and writes it since 2024.
class GoogleCsvWriter final : public CsvWriter
{
public:
    GoogleCsvWriter(const ExportStyle& style, const ExportShape& shape) : CsvWriter(style), _shape(shape)
    {
        for (const auto& column : googleColumns())
            if (isWritten(column)) _header.emplace_back(column.name);
        const auto add = [this](std::string_view list, std::size_t count, std::initializer_list<std::string_view> parts)
        {
            for (std::size_t number = 1; number <= count; ++number)
                for (const auto part : parts) _header.push_back(numbered(list, number, part));
        };
        add("E-mail", _shape.emails, {"Label", "Value"});
        add("Phone", _shape.phones, {"Label", "Value"});
        add("Address", _shape.addresses, {"Label", "Street", "City", "Region", "Postal Code", "Country", "Extended Address"});
        add("Website", _shape.websites, {"Label", "Value"});
    }

protected:
    void fill(const Contact& contact, std::vector<std::string>& all) const override
    {
        Cells cells(all);
        for (const auto& column : googleColumns())
            if (isWritten(column)) cells.put(column.target == Target::Tags ? groupsOf(contact) : valueAt(contact, {column.target, 0, {}}));
        for (const auto& email : contact.emails)
        {
            cells.put(labelOf(contact.emails, email));
            cells.put(email.address);
        }
        cells.skip(2 * (_shape.emails - contact.emails.size()));
        for (const auto& phone : contact.phones)
        {
            cells.put(labelOf(contact.phones, phone));
            cells.put(phone.number);
        }
        cells.skip(2 * (_shape.phones - contact.phones.size()));
        for (const auto& address : contact.addresses)
            for (const auto& part : {capitalLabel(address.label), address.street, address.city, address.region, address.postalCode,
                                     address.country, address.street2})
                cells.put(part);
        constexpr std::size_t partsOfAddress = 7;
        cells.skip(partsOfAddress * (_shape.addresses - contact.addresses.size()));
        for (const auto& website : contact.websites)
        {
            cells.skip(1);
            cells.put(website);
        }
    }

private:
    const ExportShape _shape;
};

} // namespace

std::unique_ptr<ContactWriter> googleCsvWriter(const ExportStyle& style, const ExportShape& shape)
{
    return std::make_unique<GoogleCsvWriter>(style, shape);
}

} // namespace portico::crm
