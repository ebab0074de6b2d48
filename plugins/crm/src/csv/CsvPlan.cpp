#include "csv/CsvPlan.h"

#include "csv/CsvReader.h"
#include "csv/CsvWriter.h"
#include "csv/Presets.h"
#include "exchange/Dates.h"
#include "text/EmailKey.h"
#include "text/VisibleText.h"

#include "portico/Problem.h"
#include "portico/Text.h"

#include <algorithm>
#include <array>

namespace portico::crm
{

namespace
{

constexpr std::size_t maxColumns = 200;
constexpr std::size_t sampleBytes = 64 * 1024;
constexpr std::size_t sampleRecords = 30;

constexpr std::array delimiters{ImportDelimiter::Comma, ImportDelimiter::Semicolon, ImportDelimiter::Tab, ImportDelimiter::Bar};

std::optional<ImportDelimiter> delimiterFrom(std::string_view text)
{
    if (text == "\\t") return ImportDelimiter::Tab;
    for (const auto delimiter : delimiters)
        if (text.size() == 1 && text.front() == delimiterOf(delimiter)) return delimiter;
    return std::nullopt;
}

std::string_view sampleOf(TextWindow& window)
{
    window.has(sampleBytes);
    return window.loaded().substr(0, sampleBytes);
}

/// Excel's own first line, `sep=;`, quoted or not; consumed.
std::optional<ImportDelimiter> takeSeparatorLine(TextWindow& window)
{
    const auto sample = sampleOf(window);
    const auto end = sample.find_first_of("\r\n");
    auto line = sample.substr(0, end);
    if (line.size() >= 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
    if (line.size() < 5 || fold(line.substr(0, 4)) != "sep=") return std::nullopt;
    const auto delimiter = delimiterFrom(line.substr(4));
    if (!delimiter || end == std::string_view::npos) return std::nullopt;
    window.advance(sample[end] == '\r' && end + 1 < sample.size() && sample[end + 1] == '\n' ? end + 2 : end + 1);
    return delimiter;
}

/// How well a delimiter fits: many columns, the same number in every record.
double fitness(std::string_view sample, bool whole, ImportDelimiter delimiter)
{
    ImportText text(sample);
    TextWindow window(text, ImportEncoding::Utf8, false, 0);
    CsvScanner scanner(window, delimiterOf(delimiter), 0, 1);
    CsvRecord record;
    std::vector<std::size_t> counts;
    while (counts.size() < sampleRecords && scanner.next(record))
        // Ignores the last record of the sample, which may be truncated.
        if (whole || counts.empty() || window.has(0)) counts.push_back(record.cells.size());
    if (counts.empty()) return 0;
    // Comment lines may precede the header.
    auto columns = counts.front();
    for (const auto count : counts)
        if (columns < 2 || std::count(counts.begin(), counts.end(), count) > 2 * std::count(counts.begin(), counts.end(), columns))
            columns = count;
    if (columns < 2) return 0;
    const auto same = std::count(counts.begin(), counts.end(), columns);
    const auto share = static_cast<double>(same) / static_cast<double>(counts.size());
    return share * share * static_cast<double>(columns);
}

ImportDelimiter findDelimiter(TextWindow& window)
{
    const auto sample = sampleOf(window);
    const bool whole = sample.size() < sampleBytes;
    auto best = ImportDelimiter::Comma;
    double bestFitness = 0;
    for (const auto delimiter : delimiters)
    {
        const auto value = fitness(sample, whole, delimiter);
        if (value <= bestFitness) continue;
        best = delimiter;
        bestFitness = value;
    }
    return best;
}

/// A line that can be the header, and where the records below it start.
struct HeaderLine
{
    std::vector<std::string> names;
    std::int64_t offset = 0;
    std::int64_t line = 1;
    std::int64_t number = 0;
    bool isDamaged = false;
};

/// How many columns are known by their names.
std::size_t knownColumns(const std::vector<std::string>& names, const ImportOptions& options)
{
    const auto preset = options.preset != ImportPreset::Auto ? options.preset : recognisePreset(names);
    const auto bindings = presetBindings(preset, names);
    std::size_t known = 0;
    for (std::size_t i = 0; i < names.size(); ++i) known += bindings[i].has_value() || options.mapping.contains(names[i]);
    return known;
}

/// Returns the first well-formed lines of a file.
std::vector<HeaderLine> firstLines(TextWindow& window, const ImportPlan& plan)
{
    constexpr std::size_t maxLines = 20;
    CsvScanner scanner(window, delimiterOf(*plan.delimiter), 0, plan.dataLine);
    CsvRecord record;
    std::vector<HeaderLine> lines;
    for (std::int64_t number = 0; lines.size() < maxLines && scanner.next(record); ++number)
    {
        if (record.fault != CsvFault::None)
        {
            if (number == 0) break;
            continue;
        }
        auto& line = lines.emplace_back();
        for (const auto& cell : record.cells)
        {
            line.isDamaged = line.isDamaged || isDamaged(cell, plan.encoding);
            line.names.emplace_back(trim(visibleText(plainCell(cell))));
        }
        line.offset = static_cast<std::int64_t>(window.offset());
        line.line = scanner.line();
        line.number = number;
    }
    return lines;
}

/// Some programs write notes, a title or a date above the names of the columns. The header is the first line, unless nearly nothing of it
/// is known and a later one is made of names that are.
const HeaderLine& headerAmong(const std::vector<HeaderLine>& lines, const ImportOptions& options)
{
    const auto filled = [](const HeaderLine& line) {
        return static_cast<std::size_t>(
            std::count_if(line.names.begin(), line.names.end(), [](const auto& name) { return !name.empty(); }));
    };
    const auto& first = lines.front();
    const auto knownAtFirst = knownColumns(first.names, options);
    const bool isMapped =
        std::any_of(first.names.begin(), first.names.end(), [&](const auto& name) { return options.mapping.contains(name); });
    if (knownAtFirst > 1 || isMapped) return first;
    for (const auto& line : lines)
    {
        const auto known = line.isDamaged || line.names.size() > maxColumns ? 0 : knownColumns(line.names, options);
        if (known > knownAtFirst && known * 2 >= filled(line)) return line;
    }
    return first;
}

std::vector<std::string> readNames(TextWindow& window, ImportPlan& plan, const ImportOptions& options)
{
    const auto lines = firstLines(window, plan);
    if (lines.empty()) throw Problem::invalid("file", "no_header", "The file has no header line");
    const auto& header = headerAmong(lines, options);
    if (header.isDamaged) throw Problem::invalid("file", "not_decodable", "The header is not text in this encoding");
    plan.dataOffset = header.offset;
    plan.dataLine = header.line;
    if (header.number > 0) plan.linesAbove = header.number;
    return header.names;
}

/// Without a header, as many columns as the first records have at most.
std::vector<std::string> countedNames(TextWindow& window, const ImportPlan& plan)
{
    const auto sample = sampleOf(window);
    ImportText text(sample);
    TextWindow copy(text, ImportEncoding::Utf8, false, 0);
    CsvScanner scanner(copy, delimiterOf(*plan.delimiter), 0, 1);
    CsvRecord record;
    std::size_t columns = 0;
    for (std::size_t i = 0; i < sampleRecords && scanner.next(record); ++i) columns = std::max(columns, record.cells.size());
    std::vector<std::string> names;
    for (std::size_t i = 1; i <= columns; ++i) names.push_back(std::to_string(i));
    return names;
}

void checkMapping(const ImportMapping& mapping, const std::vector<std::string>& names)
{
    std::vector<FieldError> errors;
    for (const auto& [column, path] : mapping)
    {
        if (std::find(names.begin(), names.end(), column) == names.end())
            errors.push_back({"mapping." + column, "unknown_column", "The file has no such column"});
        else if (path && !FieldPath::parse(*path))
            errors.push_back({"mapping." + column, "unknown_option", "Contacts have no " + *path});
    }
    if (!errors.empty()) throw Problem::invalid(std::move(errors));
}

void bindColumns(ImportPlan& plan, const std::vector<std::string>& names, const ImportOptions& options)
{
    auto bindings = presetBindings(*plan.preset, names);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        auto& column = plan.columns.emplace_back();
        column.name = names[i];
        if (plan.hasHeader && bindings[i]) column.mappedTo = bindings[i]->path.text();
        if (const auto chosen = options.mapping.find(names[i]); chosen != options.mapping.end()) column.mappedTo = chosen->second;
    }
}

/// A first line of data is no header, though some word in it may be one.
void checkHeader(const ImportPlan& plan, const ImportOptions& options)
{
    for (const auto& column : plan.columns)
        if (plan.hasHeader && !options.mapping.contains(column.name) && column.name.find(' ') == std::string::npos && emailKey(column.name))
            throw Problem::invalid("file", "no_header", "The first line has an e-mail address where the names of the columns belong");
    const bool any = std::any_of(plan.columns.begin(), plan.columns.end(), [](const ImportColumn& c) { return c.mappedTo.has_value(); });
    if (any) return;
    if (plan.hasHeader)
        throw Problem::invalid("file", "no_header",
                               "No column is known by the name that the first line gives it: say in `mapping` what they hold");
    throw Problem::invalid("mapping", "required", "Without a header, `mapping` must say what the columns hold: {\"1\":\"firstName\"}");
}

bool hasBirthday(const ImportPlan& plan)
{
    return std::any_of(plan.columns.begin(), plan.columns.end(), [](const ImportColumn& c) { return c.mappedTo == "birthday"; });
}

/// Looks through all dates of the file.
ImportDates findDateOrder(ImportFile& file, const ImportPlan& plan)
{
    DateOrder order;
    TextWindow window(file, plan.encoding, plan.bigEndian, static_cast<std::uint64_t>(plan.dataOffset));
    CsvScanner scanner(window, delimiterOf(*plan.delimiter), plan.columns.size(), plan.dataLine);
    CsvRecord record;
    while (scanner.next(record))
        for (std::size_t i = 0; i < plan.columns.size() && i < record.cells.size(); ++i)
            if (plan.columns[i].mappedTo == "birthday") order.see(record.cells[i]);
    return order.order();
}

} // namespace

char delimiterOf(ImportDelimiter delimiter)
{
    switch (delimiter)
    {
    case ImportDelimiter::Semicolon:
        return ';';
    case ImportDelimiter::Tab:
        return '\t';
    case ImportDelimiter::Bar:
        return '|';
    default:
        return ',';
    }
}

ImportPlan planCsv(ImportFile& file, const TextEncoding& encoding, const ImportOptions& options)
{
    ImportPlan plan;
    plan.encoding = encoding.encoding;
    plan.bigEndian = encoding.bigEndian;
    plan.hasHeader = options.hasHeader;
    plan.dateFormat = options.dateFormat;

    TextWindow window(file, encoding.encoding, encoding.bigEndian, encoding.markBytes);
    const auto named = takeSeparatorLine(window);
    plan.dataLine = named ? 2 : 1;
    plan.dataOffset = static_cast<std::int64_t>(window.offset());
    plan.delimiter = options.delimiter != ImportDelimiter::Auto ? options.delimiter : named ? *named : findDelimiter(window);

    const auto names = plan.hasHeader ? readNames(window, plan, options) : countedNames(window, plan);
    if (names.size() > maxColumns) throw Problem::invalid("file", "too_many_columns", "At most 200 columns");
    checkMapping(options.mapping, names);
    plan.preset = options.preset != ImportPreset::Auto ? options.preset : recognisePreset(names);
    bindColumns(plan, names, options);
    checkHeader(plan, options);
    if (plan.dateFormat == ImportDates::Auto && hasBirthday(plan)) plan.dateFormat = findDateOrder(file, plan);
    return plan;
}

std::vector<std::optional<Binding>> bindingsOf(const ImportPlan& plan)
{
    const auto preset = plan.preset.value_or(ImportPreset::Generic);
    std::vector<std::string> names;
    for (const auto& column : plan.columns) names.push_back(column.name);
    auto bindings = presetBindings(preset, names);
    for (std::size_t i = 0; i < names.size(); ++i)
    {
        const auto& mappedTo = plan.columns[i].mappedTo;
        if (!mappedTo)
            bindings[i].reset();
        else if (!bindings[i] || bindings[i]->path.text() != *mappedTo)
        {
            bindings[i].reset();
            if (auto path = FieldPath::parse(*mappedTo))
            {
                const auto style = listStyleOf(preset, path->target);
                bindings[i] = Binding{*std::move(path), {}, style, false, false};
            }
        }
    }
    return bindings;
}

} // namespace portico::crm
