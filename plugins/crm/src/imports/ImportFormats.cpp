#include "imports/ImportFormats.h"

#include "csv/CsvPlan.h"
#include "csv/CsvReader.h"
#include "text/VisibleText.h"
#include "vcard/VcardReader.h"
#include "json/JsonContactReader.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

constexpr std::size_t startBytes = 4096;

/// Beginnings of files that people take for text: zip (xlsx, numbers, ods), old Excel, PDF, gzip.
constexpr std::array<std::string_view, 4> binaryMarks{"PK\x03\x04", "\xd0\xcf\x11\xe0", "%PDF", "\x1f\x8b"};

std::string_view mediaType(std::string_view contentType) { return trim(contentType.substr(0, contentType.find(';'))); }

ImportFormat formatOfType(std::string_view contentType)
{
    const auto type = fold(mediaType(contentType));
    if (type == "text/vcard" || type == "text/x-vcard" || type == "text/directory") return ImportFormat::Vcard;
    if (type == "application/json") return ImportFormat::Json;
    if (type == "application/x-ndjson" || type == "application/ndjson" || type == "application/jsonl") return ImportFormat::Ndjson;
    if (type == "text/csv" || type == "text/tab-separated-values") return ImportFormat::Csv;
    return ImportFormat::Auto;
}

ImportFormat formatOfName(std::string_view fileName)
{
    const auto name = fold(fileName);
    const auto extension = std::string_view(name).substr(std::min(name.rfind('.'), name.size()));
    if (extension == ".vcf" || extension == ".vcard") return ImportFormat::Vcard;
    if (extension == ".json") return ImportFormat::Json;
    if (extension == ".ndjson" || extension == ".jsonl") return ImportFormat::Ndjson;
    if (extension == ".csv" || extension == ".tsv" || extension == ".txt") return ImportFormat::Csv;
    return ImportFormat::Auto;
}

std::string startOf(ImportFile& file, const TextEncoding& encoding)
{
    TextWindow window(file, encoding.encoding, encoding.bigEndian, encoding.markBytes);
    window.has(startBytes);
    // A second byte order mark, say.
    return std::string(trim(visibleText(window.loaded().substr(0, startBytes))));
}

/// Chooses the format by the file's beginning, then by the hints. Default: CSV, since any text can be CSV.
ImportFormat findFormat(ImportFile& file, const TextEncoding& encoding, const ImportHints& hints)
{
    const auto start = startOf(file, encoding);
    if (fold(start.substr(0, 11)) == "begin:vcard") return ImportFormat::Vcard;
    auto format = formatOfType(hints.contentType);
    if (format == ImportFormat::Auto) format = formatOfName(hints.fileName);
    const bool object = start.starts_with('{'), array = start.starts_with('[');
    if (format == ImportFormat::Auto && array) return ImportFormat::Json;
    if ((format == ImportFormat::Auto || format == ImportFormat::Json) && object)
        return isContactArray(file, encoding) ? ImportFormat::Json : ImportFormat::Ndjson;
    return format == ImportFormat::Auto ? ImportFormat::Csv : format;
}

void refuseBinary(ImportFile& file)
{
    const auto start = startOfFile(file, 4);
    if (std::any_of(binaryMarks.begin(), binaryMarks.end(), [&](std::string_view mark) { return start.starts_with(mark); }))
        throw Problem::invalid("file", "unsupported_format",
                               "Expected CSV, vCard, JSON or one JSON object a line; save a workbook as CSV first");
}

} // namespace

ImportPlan planImport(ImportFile& file, const ImportOptions& options, const ImportHints& hints)
{
    if (file.size() == 0) throw Problem::invalid("file", "empty_file", "The file is empty");
    refuseBinary(file);
    const auto encoding = findEncoding(file, options.encoding);
    if (!encoding) throw Problem::invalid("file", "not_decodable", "The file is not text in this encoding");
    if (startOf(file, *encoding).empty()) throw Problem::invalid("file", "empty_file", "The file contains only white space");
    const auto format = options.format == ImportFormat::Auto ? findFormat(file, *encoding, hints) : options.format;
    if (format == ImportFormat::Csv) return planCsv(file, *encoding, options);
    if (format == ImportFormat::Vcard) return planVcard(*encoding, options);
    return planJson(file, *encoding, format);
}

std::unique_ptr<ImportReader> openImport(ImportFile& file, const ImportPlan& plan, const ImportPosition& from)
{
    const bool fromStart = from == ImportPosition{};
    const auto start = fromStart ? ImportPosition{0, plan.dataLine, static_cast<std::uint64_t>(plan.dataOffset)} : from;
    switch (plan.format)
    {
    case ImportFormat::Vcard:
        return readVcards(file, plan, start);
    case ImportFormat::Json:
    case ImportFormat::Ndjson:
        return readJsonContacts(file, plan, start);
    default:
        return readCsv(file, plan, start);
    }
}

} // namespace portico::crm
