#include "plans/Money.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace portico::launchpad
{

namespace
{
constexpr std::string_view currenciesWithoutCents[] = {"JPY", "KRW", "CLP", "ISK", "VND"};
constexpr std::pair<std::string_view, std::string_view> symbols[] = {
    {"USD", "$"}, {"EUR", "\xe2\x82\xac"}, {"GBP", "\xc2\xa3"}, {"JPY", "\xc2\xa5"}};
constexpr const char* noBreakSpace = "\xc2\xa0";
constexpr std::size_t groupDigits = 3;
constexpr std::int64_t centsOfUnit = 100;
constexpr std::size_t digitsOfCents = 2;
/// More digits than the largest amount has.
constexpr std::size_t maxDigits = 9;

bool hasCents(std::string_view currency) { return std::ranges::find(currenciesWithoutCents, currency) == std::end(currenciesWithoutCents); }

std::optional<std::int64_t> wholeNumber(std::string_view digits)
{
    std::int64_t value = 0;
    const auto* end = digits.data() + digits.size();
    const bool plain = !digits.empty() && digits.size() <= maxDigits && digits.front() != '-';
    if (!plain || std::from_chars(digits.data(), end, value) != std::from_chars_result{end, std::errc()}) return {};
    return value;
}
} // namespace

std::string shownAmount(std::int64_t amount, std::string_view currency, std::string_view language)
{
    const bool german = language.starts_with("de");
    const bool cents = hasCents(currency);
    auto text = std::to_string(cents ? amount / centsOfUnit : amount);
    for (auto at = text.size(); at > groupDigits;) text.insert(at -= groupDigits, german ? "." : ",");
    if (cents && amount % centsOfUnit != 0) text += (german ? "," : ".") + std::to_string(centsOfUnit + amount % centsOfUnit).substr(1);
    const auto found = std::ranges::find(symbols, currency, &std::pair<std::string_view, std::string_view>::first);
    const auto sign = std::string(found == std::end(symbols) ? currency : found->second);
    if (german) return text + noBreakSpace + sign;
    return sign + (found == std::end(symbols) ? noBreakSpace : "") + text;
}

std::optional<std::int64_t> parseAmount(std::string_view text, std::string_view currency)
{
    const auto point = text.find_first_of(".,");
    const auto units = wholeNumber(text.substr(0, point));
    if (!units) return {};
    if (!hasCents(currency)) return point == std::string_view::npos ? units : std::nullopt;
    if (point == std::string_view::npos) return *units * centsOfUnit;
    auto cents = std::string(text.substr(point + 1));
    if (cents.empty() || cents.size() > digitsOfCents) return {};
    cents.resize(digitsOfCents, '0');
    const auto value = wholeNumber(cents);
    if (!value) return {};
    return *units * centsOfUnit + *value;
}

} // namespace portico::launchpad
