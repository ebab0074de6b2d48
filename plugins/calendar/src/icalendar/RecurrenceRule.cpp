#include "icalendar/RecurrenceRule.h"

#include "icalendar/Values.h"

#include "portico/Text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace portico::calendar::icalendar
{

namespace
{
using Frequency = RecurrenceRule::Frequency;

constexpr std::array<std::pair<std::string_view, Frequency>, 7> frequencyWords{{{"SECONDLY", Frequency::Secondly},
                                                                                {"MINUTELY", Frequency::Minutely},
                                                                                {"HOURLY", Frequency::Hourly},
                                                                                {"DAILY", Frequency::Daily},
                                                                                {"WEEKLY", Frequency::Weekly},
                                                                                {"MONTHLY", Frequency::Monthly},
                                                                                {"YEARLY", Frequency::Yearly}}};
constexpr std::array<std::string_view, 7> weekdayWords{"MO", "TU", "WE", "TH", "FR", "SA", "SU"};
/// Longer intervals lead beyond every calendar.
constexpr std::int64_t longestInterval = 100'000;

std::optional<std::int64_t> ruleNumber(std::string_view text, std::int64_t least, std::int64_t most)
{
    if (text.starts_with('+')) text.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
    return value;
}

std::optional<int> ruleWeekday(std::string_view text)
{
    const auto found = std::ranges::find(weekdayWords, text);
    if (found == weekdayWords.end()) return std::nullopt;
    return static_cast<int>(found - weekdayWords.begin()) + 1;
}

/// `[least, most]`, and their negatives too where counting from the end is allowed, which leaves out 0.
struct NumberRange
{
    int least, most;
    bool fromEnd = false;
};

bool readNumbers(std::string_view text, const NumberRange& range, std::vector<int>& numbers)
{
    for (const auto& item : splitList(text))
    {
        const auto number = ruleNumber(item, range.fromEnd ? -range.most : range.least, range.most);
        if (!number || (range.fromEnd && *number == 0)) return false;
        numbers.push_back(static_cast<int>(*number));
    }
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return !numbers.empty();
}

bool readDays(std::string_view text, std::vector<RecurrenceRule::Weekday>& days)
{
    for (const auto& item : splitList(text))
    {
        if (item.size() < 2 || days.size() == 800) return false;
        const auto weekday = ruleWeekday(std::string_view(item).substr(item.size() - 2));
        const auto ordinal = item.size() == 2 ? 0 : ruleNumber(std::string_view(item).substr(0, item.size() - 2), -53, 53);
        if (!weekday || !ordinal || (item.size() > 2 && *ordinal == 0)) return false;
        days.push_back({static_cast<int>(*ordinal), *weekday});
    }
    return !days.empty();
}

bool readUntil(std::string_view text, RecurrenceRule& rule)
{
    const auto time = parseTime(text);
    if (time) rule.until = {time->wall, time->isDate, time->isUtc};
    return time.has_value();
}

bool readFrequency(std::string_view text, RecurrenceRule& rule)
{
    const auto found = std::ranges::find(frequencyWords, text, [](const auto& entry) { return entry.first; });
    if (found == frequencyWords.end()) return false;
    rule.frequency = found->second;
    return true;
}

bool readCounted(std::string_view text, std::int64_t most, std::int64_t& value)
{
    const auto number = ruleNumber(text, 1, most);
    value = number.value_or(value);
    return number.has_value();
}

bool readWeekStart(std::string_view text, RecurrenceRule& rule)
{
    const auto weekday = ruleWeekday(text);
    rule.weekStart = weekday.value_or(1);
    return weekday.has_value();
}

bool readPart(std::string_view name, std::string_view value, RecurrenceRule& rule)
{
    if (name == "FREQ") return readFrequency(value, rule);
    if (name == "INTERVAL") return readCounted(value, longestInterval, rule.interval);
    if (name == "COUNT") return readCounted(value, 1'000'000'000, rule.count);
    if (name == "UNTIL") return readUntil(value, rule);
    if (name == "BYSECOND") return readNumbers(value, {0, 60}, rule.bySecond);
    if (name == "BYMINUTE") return readNumbers(value, {0, 59}, rule.byMinute);
    if (name == "BYHOUR") return readNumbers(value, {0, 23}, rule.byHour);
    if (name == "BYDAY") return readDays(value, rule.byDay);
    if (name == "BYMONTHDAY") return readNumbers(value, {1, 31, true}, rule.byMonthDay);
    if (name == "BYYEARDAY") return readNumbers(value, {1, 366, true}, rule.byYearDay);
    if (name == "BYWEEKNO") return readNumbers(value, {1, 53, true}, rule.byWeekNumber);
    if (name == "BYMONTH") return readNumbers(value, {1, 12}, rule.byMonth);
    if (name == "BYSETPOS") return readNumbers(value, {1, 366, true}, rule.bySetPosition);
    return name == "WKST" && readWeekStart(value, rule);
}
} // namespace

std::optional<RecurrenceRule> RecurrenceRule::parse(std::string_view text)
{
    RecurrenceRule rule;
    std::vector<std::string> seen;
    for (std::size_t at = 0; at < text.size();)
    {
        const auto end = std::min(text.find(';', at), text.size());
        const auto part = upperCase(text.substr(at, end - at));
        at = end + 1;
        if (part.empty()) continue; // some programs end a rule with a semicolon
        const auto equals = part.find('=');
        if (equals == std::string::npos) return std::nullopt;
        auto name = part.substr(0, equals);
        if (std::ranges::find(seen, name) != seen.end() || !readPart(name, std::string_view(part).substr(equals + 1), rule))
            return std::nullopt;
        seen.push_back(std::move(name));
    }
    if (std::ranges::find(seen, "FREQ") == seen.end()) return std::nullopt;
    return rule;
}

} // namespace portico::calendar::icalendar
