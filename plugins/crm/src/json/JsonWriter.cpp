#include "json/JsonWriter.h"

#include "portico/Json.h"

#include <tuple>

namespace portico::crm
{

namespace
{

/// What the importer reads, and when the contact came to be and was changed. What follows from other records (counts, places on boards) is
/// only given when it is asked for.
std::vector<std::string> defaultFields()
{
    std::vector<std::string> names{"id", "createdAt", "updatedAt"};
    std::apply([&](const auto&... field) { ((field.rules.readOnly ? void() : void(names.emplace_back(field.name))), ...); },
               fieldsOf<Contact>());
    return names;
}

} // namespace

JsonWriter::JsonWriter(const ExportStyle& style)
    : _lines(style.format == ExportFormat::Ndjson), _fields(style.fields.empty() ? defaultFields() : style.fields)
{
}

void JsonWriter::begin(std::string& out)
{
    if (!_lines) out += '[';
}

void JsonWriter::write(std::string& out, const ContactView& contact)
{
    if (!_lines) out += _first ? "\n" : ",\n";
    _first = false;
    detail::writeJson(out, detail::typeOf<ContactView>, &contact, &_fields);
    if (_lines) out += '\n';
}

void JsonWriter::end(std::string& out)
{
    if (!_lines) out += _first ? "]\n" : "\n]\n";
}

} // namespace portico::crm
