#include "json/JsonContactReader.h"

#include "contacts/ContactRules.h"
#include "contacts/VisibleContact.h"
#include "exchange/ContactBuilder.h"
#include "exchange/FieldValue.h"
#include "json/JsonScanner.h"

#include "portico/Json.h"
#include "portico/Problem.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace portico::crm
{

namespace
{

/// Enough of a text to show.
std::string startOfText(std::string_view text) { return repairedText(text.substr(0, 400)); }

/// The file is an array, and not an object that has one.
bool isArray(ImportFile& file, const ImportPlan& plan)
{
    constexpr std::string_view passedOver = " \t\r\n\xef\xbb\xbf";
    constexpr std::size_t maxSpace = 1024;
    TextWindow window(file, plan.encoding, plan.bigEndian, 0);
    std::size_t at = 0;
    while (at < maxSpace && window.has(at) && passedOver.find(window[at]) != std::string_view::npos) ++at;
    return window.has(at) && window[at] == '[';
}

/// Returns the file's text of the member that a fault names, if it has one.
std::string valueFor(const Contact& contact, std::string_view field)
{
    const auto path = FieldPath::parse(field);
    return path ? valueAt(contact, *path) : std::string{};
}

void dropEmptyValues(Contact& contact)
{
    std::erase_if(contact.customFields, [](const auto& item) { return item.second.text == "null" || item.second.text == "\"\""; });
}

/// Adds the flags of `doNotContact` that the JSON of a contact names.
void addFlags(std::string_view json, std::vector<std::string>& members)
{
    const auto contact = fromJson<std::map<std::string, Json>>(json);
    const auto flags = contact.find("doNotContact");
    if (flags == contact.end() || flags->second.text == "null") return;
    for (const auto& [name, value] : fromJson<std::map<std::string, Json>>(flags->second.text)) members.push_back("doNotContact." + name);
}

/// Contacts from a JSON array, or one a line, with the members of the interface.
class JsonContactReader final : public ImportReader
{
public:
    JsonContactReader(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
        : _plan(plan),
          _window(file, plan.encoding, plan.bigEndian, from.offset),
          _scanner(_window, from.line),
          _fileSize(file.size()),
          _builder(ImportDates::Iso),
          _row(from.row)
    {
        if (from.row > 0) _scanner.resume(from.offset > file.size());
        if (isArray(file, plan)) _scanner.expectNothingBehind();
    }

    bool next(ParsedRow& record) override
    {
        if (!(_plan.format == ImportFormat::Json ? _scanner.next(_element) : _scanner.nextLine(_element))) return false;
        _builder.start(record);
        record.row = ++_row;
        record.line = _element.line;
        read(record);
        record.next = {_row, _scanner.line(),
                       _element.fault == JsonFault::Broken || _element.fault == JsonFault::Trailing ? _fileSize + 1 : _window.offset()};
        return true;
    }

private:
    void read(ParsedRow& record)
    {
        switch (_element.fault)
        {
        case JsonFault::TooLong:
            return _builder.addProblem("too_long", "The contact is longer than 1 MiB", "", {});
        case JsonFault::MissingComma:
            return _builder.addProblem("invalid_json", "The comma before it is missing", "", {{}, startOfText(_element.text)});
        case JsonFault::Broken:
            return _builder.addProblem("invalid_json",
                                       "The array breaks off or its brackets do not match: nothing from here on can be read", "", {});
        case JsonFault::Trailing:
            return _builder.addProblem("invalid_json", "The file has text after the array, which is ignored", "", {});
        case JsonFault::None:
            break;
        }
        if (isDamaged(_element.text, _plan.encoding))
            return _builder.addProblem("bad_encoding", "Bytes that are not text in this encoding", "", {{}, startOfText(_element.text)});
        parse(record);
    }

    void parse(ParsedRow& record)
    {
        auto& contact = record.contact;
        std::vector<std::string_view> named;
        try
        {
            named = parseJson(_element.text, contact);
        }
        catch (const Problem& problem)
        {
            dropEmptyValues(contact);
            for (const auto& error : problem.errors())
                _builder.addProblem(error.code, error.message, error.field, {{}, startOfText(_element.text)});
            if (problem.errors().empty()) _builder.addProblem(problem.code(), problem.detail(), "", {{}, startOfText(_element.text)});
            return;
        }
        dropEmptyValues(contact);
        for (const auto& path : removeInvisible(contact))
            _builder.addWarning("invisible_characters", "Characters that cannot be seen were removed", path, {{}, valueFor(contact, path)});
        for (const auto& path : repairNumbers(contact))
            _builder.addWarning("repaired_number", "The fraction that a spreadsheet added was removed", path,
                                {{}, valueFor(contact, path)});
        for (const auto& error : faultsOf(contact))
            _builder.addProblem(error.code, error.message, error.field, {{}, valueFor(contact, error.field)});
        if (record.problems.empty() && !hasIdentity(contact))
            _builder.addProblem("missing_identity", "A contact needs a name, a company, an e-mail address or a phone number", "", {});
        record.members = filledMembers(contact);
        const auto isNamed = [&](std::string_view name) { return std::find(named.begin(), named.end(), name) != named.end(); };
        if (isNamed("lifecycle")) record.members.emplace_back("lifecycle");
        if (isNamed("doNotContact")) addFlags(_element.text, record.members);
    }

    const ImportPlan& _plan;
    TextWindow _window;
    JsonScanner _scanner;
    JsonScanner::Element _element;
    std::uint64_t _fileSize;
    ContactBuilder _builder;
    std::int64_t _row;
};

} // namespace

bool isContactArray(ImportFile& file, const TextEncoding& encoding)
{
    TextWindow window(file, encoding.encoding, encoding.bigEndian, encoding.markBytes);
    return JsonScanner(window, 1).enterArray();
}

ImportPlan planJson(ImportFile& file, const TextEncoding& encoding, ImportFormat format)
{
    ImportPlan plan;
    plan.format = format;
    plan.encoding = encoding.encoding;
    plan.bigEndian = encoding.bigEndian;
    TextWindow window(file, encoding.encoding, encoding.bigEndian, encoding.markBytes);
    JsonScanner scanner(window, 1);
    if (format == ImportFormat::Json && !scanner.enterArray())
        throw Problem::invalid("file", "unsupported_format", "Expected a JSON array of contacts, or an object with the array `contacts`");
    plan.dataOffset = static_cast<std::int64_t>(window.offset());
    plan.dataLine = scanner.line();
    return plan;
}

std::unique_ptr<ImportReader> readJsonContacts(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
{
    return std::make_unique<JsonContactReader>(file, plan, from);
}

} // namespace portico::crm
