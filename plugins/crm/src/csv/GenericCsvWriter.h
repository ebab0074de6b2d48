#pragma once

#include "csv/CsvWriter.h"
#include "text/FieldPath.h"

#include <vector>

namespace portico::crm
{

/// CSV whose columns are called by their field paths, which the importer reads again without loss.
class GenericCsvWriter final : public CsvWriter
{
public:
    GenericCsvWriter(const ExportStyle& style, const ExportShape& shape);

protected:
    void fill(const Contact& contact, std::vector<std::string>& cells) const override;

private:
    void addColumn(FieldPath path);
    void addScalars();
    void addLists(const ExportShape& shape);
    void addCustomFields(const ExportShape& shape);

    std::vector<FieldPath> _paths;
};

} // namespace portico::crm
