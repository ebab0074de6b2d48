#pragma once

#include "csv/CsvWriter.h"
#include "csv/Presets.h"

#include <span>

namespace portico::crm
{

/// CSV as Outlook and HubSpot write it: a fixed set of columns, each phone number and address in the first that bears its label, else in
/// the first free one. What such a file has no place for is left out.
class FixedCsvWriter final : public CsvWriter
{
public:
    explicit FixedCsvWriter(const ExportStyle& style);

protected:
    void fill(const Contact& contact, std::vector<std::string>& cells) const override;

private:
    void fillScalars(const Contact& contact, std::vector<std::string>& cells) const;
    void fillEmails(const Contact& contact, std::vector<std::string>& cells) const;
    void fillPhones(const Contact& contact, std::vector<std::string>& cells) const;
    void fillAddresses(const Contact& contact, std::vector<std::string>& cells) const;
    void fillWebsites(const Contact& contact, std::vector<std::string>& cells) const;
    /// Empty cell of a target, with that label if one is given.
    std::string* freeCell(std::vector<std::string>& cells, Target target, const std::string* label) const;

    std::vector<KnownColumn> _columns;
};

} // namespace portico::crm
