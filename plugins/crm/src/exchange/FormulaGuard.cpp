#include "exchange/FormulaGuard.h"

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

/// What follows the sign of a number (-12.5, +1,000) or of a phone number (+49 (0)30 12-34): digits and marks that no formula can do harm
/// with.
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

} // namespace

bool needsFormulaGuard(std::string_view cell) { return isGuardedFormula(cell); }

std::string_view withoutFormulaGuard(std::string_view cell)
{
    return cell.starts_with('\'') && isGuardedFormula(cell.substr(1)) ? cell.substr(1) : cell;
}

} // namespace portico::crm
