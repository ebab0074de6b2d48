#pragma once

#include "exchange/JsonScanner.h"
#include "exchange/RecordBuilder.h"

namespace portico::crm
{

/// Contacts from a JSON array, or one a line, with the members of the interface.
class JsonContactReader final : public ImportReader
{
public:
    JsonContactReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);
    bool next(ImportedRecord& record) override;

private:
    void read(ImportedRecord& record);
    void parse(ImportedRecord& record);

    const ImportPlan& _plan;
    TextWindow _window;
    JsonScanner _scanner;
    JsonScanner::Element _element;
    std::uint64_t _fileSize;
    RecordBuilder _builder;
    std::int64_t _row;
};

/// @throws Problem as planImport
ImportPlan planJson(ImportFile& file, const TextEncoding& encoding, ImportFormat format);

/// True for an array, or an object with the member `contacts`.
bool isContactArray(ImportFile& file, const TextEncoding& encoding);

} // namespace portico::crm
