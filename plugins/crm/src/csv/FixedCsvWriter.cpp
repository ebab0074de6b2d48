#include "csv/CsvWriter.h"

#include "csv/Presets.h"
#include "exchange/FieldValue.h"

#include <algorithm>
#include <array>
#include <span>

namespace portico::crm
{

namespace
{

constexpr std::array addressParts{Target::Street, Target::Street2, Target::City, Target::Region, Target::PostalCode, Target::Country};

bool isAddressPart(Target target) { return std::find(addressParts.begin(), addressParts.end(), target) != addressParts.end(); }

/// The words of HubSpot for a lifecycle.
std::string hubspotStage(Lifecycle lifecycle)
{
    switch (lifecycle)
    {
    case Lifecycle::Lead:
        return "Lead";
    case Lifecycle::Prospect:
        return "Opportunity";
    case Lifecycle::Customer:
        return "Customer";
    default:
        return "Other";
    }
}

/// Returns the primary element first, the others in their order.
template <class Element>
std::vector<const Element*> primaryFirst(const std::vector<Element>& list)
{
    std::vector<const Element*> ordered;
    for (const auto& element : list) ordered.push_back(&element);
    std::stable_partition(ordered.begin(), ordered.end(), [](const Element* element) { return element->primary; });
    return ordered;
}

/// CSV of Outlook and HubSpot with fixed columns. Each phone number and address goes to the first column with its label, else to the first
/// free one. Values without a column are left out.
class FixedCsvWriter final : public CsvWriter
{
public:
    explicit FixedCsvWriter(const ExportStyle& style) : CsvWriter(style)
    {
        for (const auto& column : style.preset == ExportPreset::Outlook ? outlookColumns() : hubspotColumns())
        {
            // Users' addresses, and the meaning of tags for leads, are unknown here.
            const bool unknown = column.target == Target::OwnerEmail || column.target == Target::Notes ||
                                 (style.preset == ExportPreset::Hubspot && column.target == Target::Tags);
            if (column.alias || unknown || !_style.wants(memberOf(column.target))) continue;
            _columns.push_back(column);
            _header.emplace_back(column.name);
        }
    }

protected:
    void fill(const Contact& contact, std::vector<std::string>& cells) const override
    {
        fillScalars(contact, cells);
        fillEmails(contact, cells);
        fillPhones(contact, cells);
        fillAddresses(contact, cells);
        fillWebsites(contact, cells);
    }

private:
    void fillScalars(const Contact& contact, std::vector<std::string>& cells) const
    {
        for (std::size_t i = 0; i < _columns.size(); ++i)
        {
            const auto& column = _columns[i];
            const bool listed = column.target >= Target::EmailAddress && column.target != Target::ExternalIdOf;
            if (listed) continue;
            if (column.target == Target::Lifecycle)
                cells[i] = hubspotStage(contact.lifecycle);
            else if (column.target == Target::DoNotEmail)
                cells[i] = contact.doNotContact.email ? "true" : "";
            else if (column.target == Target::Tags)
                cells[i] = joinList(contact.tags, column.list);
            else
                cells[i] = valueAt(contact, {column.target, column.index, std::string(column.key)});
        }
    }

    void fillEmails(const Contact& contact, std::vector<std::string>& cells) const
    {
        for (const auto* email : primaryFirst(contact.emails))
            if (auto* cell = freeCell(cells, Target::EmailAddress, nullptr)) *cell = email->address;
    }

    void fillPhones(const Contact& contact, std::vector<std::string>& cells) const
    {
        const std::string unlabelled;
        std::vector<const ContactPhone*> rest;
        for (const auto* phone : primaryFirst(contact.phones))
        {
            if (auto* cell = freeCell(cells, Target::PhoneNumber, &phone->label))
                *cell = phone->number;
            else
                rest.push_back(phone);
        }
        for (const auto* phone : rest)
        {
            auto* cell = freeCell(cells, Target::PhoneNumber, &unlabelled);
            if (!cell) cell = freeCell(cells, Target::PhoneNumber, nullptr);
            if (cell) *cell = phone->number;
        }
    }

    void fillAddresses(const Contact& contact, std::vector<std::string>& cells) const
    {
        std::array<const PostalAddress*, 3> places{};
        const auto blocks = _style.preset == ExportPreset::Outlook ? places.size() : std::size_t{1};
        constexpr std::array<std::string_view, 3> labels{"work", "home", "other"};
        std::vector<const PostalAddress*> rest;
        for (const auto& address : contact.addresses)
        {
            const auto at = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), address.label) - labels.begin());
            if (at < blocks && !places[at])
                places[at] = &address;
            else
                rest.push_back(&address);
        }
        for (const auto* address : rest)
            for (std::size_t at = 0; at < blocks; ++at)
                if (!places[at])
                {
                    places[at] = address;
                    break;
                }
        for (std::size_t i = 0; i < _columns.size(); ++i)
        {
            const auto& column = _columns[i];
            const auto* address = isAddressPart(column.target) ? places[column.index] : nullptr;
            // If several columns have the same part, only the first is filled.
            const bool again = i > 0 && _columns[i - 1].target == column.target && _columns[i - 1].index == column.index;
            const bool box = column.name.ends_with("PO Box");
            if (!address || again || box) continue;
            Contact one;
            one.addresses.push_back(*address);
            cells[i] = valueAt(one, {column.target, 0, {}});
        }
    }

    void fillWebsites(const Contact& contact, std::vector<std::string>& cells) const
    {
        for (const auto& website : contact.websites)
            if (auto* cell = freeCell(cells, Target::Website, nullptr)) *cell = website;
    }

    /// Empty cell of a target, with that label if one is given.
    std::string* freeCell(std::vector<std::string>& cells, Target target, const std::string* label) const
    {
        for (std::size_t i = 0; i < _columns.size(); ++i)
            if (_columns[i].target == target && cells[i].empty() && (!label || _columns[i].label == *label)) return &cells[i];
        return nullptr;
    }

    std::vector<KnownColumn> _columns;
};

} // namespace

std::unique_ptr<ContactWriter> fixedCsvWriter(const ExportStyle& style) { return std::make_unique<FixedCsvWriter>(style); }

} // namespace portico::crm
