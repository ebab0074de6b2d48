#pragma once

#include "csv/CsvScanner.h"
#include "text/ContactBuilder.h"

#include <optional>
#include <vector>

namespace portico::crm
{

/// Contacts from CSV.
class CsvReader final : public ImportReader
{
public:
    CsvReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);
    bool next(ParsedRow& record) override;

private:
    void read();
    bool isEmpty() const;
    bool hasSurplus() const;
    void giveCells();
    void repairCells();

    const ImportPlan& _plan;
    std::vector<std::optional<Binding>> _bindings;
    TextWindow _window;
    CsvScanner _scanner;
    ContactBuilder _builder;
    CsvRecord _csv;
    std::int64_t _row;
};

} // namespace portico::crm
