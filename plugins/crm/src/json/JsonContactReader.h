#pragma once

#include "text/ContactBuilder.h"
#include "json/JsonScanner.h"

namespace portico::crm
{

/// Contacts from a JSON array, or one a line, with the members of the interface.
class JsonContactReader final : public ImportReader
{
public:
    JsonContactReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from);
    bool next(ParsedRow& record) override;

private:
    void read(ParsedRow& record);
    void parse(ParsedRow& record);

    const ImportPlan& _plan;
    TextWindow _window;
    JsonScanner _scanner;
    JsonScanner::Element _element;
    std::uint64_t _fileSize;
    ContactBuilder _builder;
    std::int64_t _row;
};

/// @throws Problem as planImport
ImportPlan planJson(ImportFile& file, const TextEncoding& encoding, ImportFormat format);

/// True for an array, or an object with the member `contacts`.
bool isContactArray(ImportFile& file, const TextEncoding& encoding);

} // namespace portico::crm
