#include "json/JsonWriter.h"

#include "exchange/ContactWriter.h"

#include "portico/Json.h"

#include <string>
#include <vector>

namespace portico::crm
{

namespace
{

/// Returns the members that the importer reads, and the times of creation and change. Data of other records (counts, places on boards) is
/// written only on request.
std::vector<std::string> defaultFields()
{
    std::vector<std::string> names{"id", "createdAt", "updatedAt"};
    fieldsOf<Contact>().apply([&](const auto&... field) { ((field.rules.readOnly ? void() : void(names.emplace_back(field.name))), ...); });
    return names;
}

/// Writes contacts in the form of the interface: as one JSON array, which is closed only after the last, or one a line.
class JsonWriter final : public ContactWriter
{
public:
    explicit JsonWriter(const ExportStyle& style)
        : _lines(style.format == ExportFormat::Ndjson), _fields(style.fields.empty() ? defaultFields() : style.fields)
    {
    }

    void begin(std::string& out) override
    {
        if (!_lines) out += '[';
    }

    void write(std::string& out, const ContactView& contact) override
    {
        if (!_lines) out += _first ? "\n" : ",\n";
        _first = false;
        appendJson(out, contact, _fields);
        if (_lines) out += '\n';
    }

    void end(std::string& out) override
    {
        if (!_lines) out += _first ? "]\n" : "\n]\n";
    }

private:
    const bool _lines;
    const std::vector<std::string> _fields;
    bool _first = true;
};

} // namespace

std::unique_ptr<ContactWriter> jsonWriter(const ExportStyle& style) { return std::make_unique<JsonWriter>(style); }

} // namespace portico::crm
