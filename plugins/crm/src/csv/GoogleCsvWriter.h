#pragma once

#include "csv/CsvWriter.h"

namespace portico::crm
{

/// CSV as Google Contacts reads and writes it since 2024.
class GoogleCsvWriter final : public CsvWriter
{
public:
    GoogleCsvWriter(const ExportStyle& style, const ExportShape& shape);

protected:
    void fill(const Contact& contact, std::vector<std::string>& cells) const override;

private:
    const ExportShape _shape;
};

} // namespace portico::crm
