#include "csv/CsvWriter.h"

#include "contacts/ContactRules.h"

#include "portico/Text.h"

#include <algorithm>

namespace portico::crm
{

namespace
{

bool isPlainDigit(char c) { return c >= '0' && c <= '9'; }

bool areAll(std::string_view text, std::string_view allowed)
{
    return std::all_of(text.begin(), text.end(), [&](char c) { return isPlainDigit(c) || allowed.find(c) != std::string_view::npos; });
}

/// Without ` x12` or ` ext. 12` at its end.
std::string_view withoutExtensionMark(std::string_view text)
{
    for (const std::string_view mark : {"x", "ext.", "ext"})
        if (const auto at = text.find(mark); at != std::string_view::npos && areAll(text.substr(at + mark.size()), " "))
            return text.substr(0, at);
    return text;
}

/// Returns true for the rest of a number (-12.5, +1,000) or of a phone number (+49 (0)30 12-34) after its sign. Its digits and marks are
/// harmless in a formula.
bool isNumberOrPhone(std::string_view text)
{
    text = withoutExtensionMark(text);
    return std::any_of(text.begin(), text.end(), isPlainDigit) && areAll(text, " .,-()/");
}

bool isFormula(std::string_view cell)
{
    if (cell.empty()) return false;
    const char c = cell.front();
    if (c == '=' || c == '@' || c == '\t' || c == '\r') return true;
    return (c == '+' || c == '-') && !isNumberOrPhone(cell.substr(1));
}

/// A formula behind any number of apostrophes.
bool isGuardedFormula(std::string_view cell)
{
    const auto text = cell.find_first_not_of('\'');
    return text != std::string_view::npos && isFormula(cell.substr(text));
}

/// Copies the display name to the first name of contacts without another name, because other programs have no column for the display name.
void nameByParts(Contact& contact, const ExportStyle& style)
{
    if (style.preset == ExportPreset::Generic || !style.wants("displayName")) return;
    // HubSpot has no columns for the members below either.
    if (style.preset == ExportPreset::Hubspot) contact.nickname.clear();
    const bool middleIsShown = style.preset != ExportPreset::Hubspot && !contact.middleName.empty();
    if (!contact.firstName.empty() || !contact.lastName.empty() || middleIsShown) return;
    contact.middleName.clear();
    if (contact.displayName != builtDisplayName(contact)) contact.firstName = contact.displayName;
}

} // namespace

bool needsFormulaGuard(std::string_view cell) { return isGuardedFormula(cell); }

std::string_view withoutFormulaGuard(std::string_view cell)
{
    return cell.starts_with('\'') && isGuardedFormula(cell.substr(1)) ? cell.substr(1) : cell;
}

std::string plainCell(std::string_view cell)
{
    const auto formula = trim(cell);
    if (!formula.starts_with("=\"") || !formula.ends_with('"') || formula.size() < 3) return std::string(withoutFormulaGuard(cell));
    std::string text;
    const auto quoted = formula.substr(2, formula.size() - 3);
    for (std::size_t i = 0; i < quoted.size(); ++i)
    {
        if (quoted[i] == '"' && (++i == quoted.size() || quoted[i] != '"')) return std::string(cell);
        text += quoted[i];
    }
    return text;
}

void appendCsvCell(std::string& out, std::string_view cell, char delimiter)
{
    const char special[] = {delimiter, '"', '\r', '\n', '\0'};
    const bool guarded = needsFormulaGuard(cell);
    if (cell.find_first_of(special) == std::string_view::npos)
    {
        if (guarded) out += '\'';
        out += cell;
        return;
    }
    out += '"';
    if (guarded) out += '\'';
    for (const char c : cell)
    {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void appendCsvRecord(std::string& out, const std::vector<std::string>& cells, char delimiter)
{
    bool first = true;
    for (const auto& cell : cells)
    {
        if (!first) out += delimiter;
        first = false;
        appendCsvCell(out, cell, delimiter);
    }
    // A lone empty cell would be a blank line, which is no record.
    if (cells.size() == 1 && cells.front().empty()) out += "\"\"";
    out += "\r\n";
}

void CsvWriter::begin(std::string& out)
{
    if (_style.bom || _style.preset == ExportPreset::Outlook) out += "\xef\xbb\xbf";
    appendCsvRecord(out, _header);
}

void CsvWriter::write(std::string& out, const ContactView& view)
{
    _cells.assign(_header.size(), {});
    auto contact = exportedContact(view, _style);
    nameByParts(contact, _style);
    fill(contact, _cells);
    appendCsvRecord(out, _cells);
}

} // namespace portico::crm
