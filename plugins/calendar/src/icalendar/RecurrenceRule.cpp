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
/// Longer intervals lead beyond every calendar.
constexpr std::int64_t longestInterval = 100'000;

std::optional<std::int64_t> ruleNumber(std::string_view text, std::int64_t least, std::int64_t most)
{
    if (text.starts_with('+')) text.remove_prefix(1);
    // `3.0`, as spreadsheets and scripts write numbers.
    const auto point = std::min(text.find('.'), text.size());
    if (text.find_first_not_of('0', point + 1) == std::string_view::npos) text = text.substr(0, point);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < least || value > most) return std::nullopt;
    return value;
}

/// `MO`, also written out as `MON` or `MONDAY`.
std::optional<int> weekdayOf(std::string_view text)
{
    static constexpr std::array<std::string_view, 7> names{"MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"};
    const auto found = std::ranges::find_if(names, [&](std::string_view name) { return text.size() >= 2 && name.starts_with(text); });
    if (found == names.end()) return std::nullopt;
    return static_cast<int>(found - names.begin()) + 1;
}

/// `[least, most]`, and their negatives too where counting from the end is allowed, which leaves out 0.
struct NumberRange
{
    int least, most;
    bool fromEnd = false;
};

/// Returns the end of a rule's first part: a semicolon, or a comma or colon before the name of another part.
std::size_t endOfPart(std::string_view text)
{
    for (auto at = text.find_first_of(";,:"); at != std::string_view::npos; at = text.find_first_of(";,:", at + 1))
    {
        if (text[at] == ';') return at;
        const auto next = trim(text.substr(at + 1));
        const auto name = std::min(next.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-"), next.size());
        if (name > 0 && trim(next.substr(name)).starts_with('=')) return at;
    }
    return text.size();
}

/// Reads the parts of one rule.
class RuleReader
{
public:
    explicit RuleReader(std::vector<std::string>& ignored) : _ignored(ignored) {}

    std::optional<RecurrenceRule> read(std::string_view written)
    {
        // Programs quote a rule, or put backslashes before its separators.
        std::string plain(written);
        std::erase_if(plain, [](char c) { return c == '\\' || c == '"'; });
        std::string_view text = plain;
        while (!text.empty())
        {
            const auto end = endOfPart(text);
            if (const auto part = upperCase(trim(text.substr(0, end))); !part.empty()) readPart(part);
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        if (_lost || !_hasFrequency) return std::nullopt;
        return _rule;
    }

private:
    void readPart(std::string_view part)
    {
        const auto equals = std::min(part.find('='), part.size());
        const auto name = trim(part.substr(0, equals));
        const auto value = trim(part.substr(std::min(equals + 1, part.size())));
        // Duplicate lists are united. For other parts the first one applies.
        const bool repeated = std::ranges::find(_seen, name) != _seen.end();
        if (repeated && name == "FREQ" && value != frequencyWord()) _lost = true;
        if (value.empty() || (repeated && !name.starts_with("BY")))
            ignore(part);
        else
            readValue(name, value, part);
        _seen.emplace_back(name);
    }

    void readValue(std::string_view name, std::string_view value, std::string_view part)
    {
        if (name == "FREQ") return readFrequency(value);
        if (name == "INTERVAL") return readInterval(value, part);
        if (name == "COUNT") return readCount(value, part);
        if (name == "UNTIL") return readUntil(value, part);
        if (name == "TZID") return readUntil(value, part); // of `UNTIL;TZID=Europe/Berlin=…`
        if (name == "BYSECOND") return readNumbers(value, {0, 60}, _rule.bySecond, part);
        if (name == "BYMINUTE") return readNumbers(value, {0, 59}, _rule.byMinute, part);
        if (name == "BYHOUR") return readNumbers(value, {0, 23}, _rule.byHour, part);
        if (name == "BYDAY") return readDays(value, part);
        if (name == "BYMONTHDAY") return readNumbers(value, {1, 31, true}, _rule.byMonthDay, part);
        if (name == "BYYEARDAY") return readNumbers(value, {1, 366, true}, _rule.byYearDay, part);
        if (name == "BYWEEKNO") return readNumbers(value, {1, 53, true}, _rule.byWeekNumber, part);
        if (name == "BYMONTH") return readNumbers(value, {1, 12}, _rule.byMonth, part);
        if (name == "BYSETPOS") return readNumbers(value, {1, 366, true}, _rule.bySetPosition, part);
        if (name == "WKST") return readWeekStart(value, part);
        // In the Gregorian calendar, RSCALE and SKIP do not change a rule (RFC 7529).
        if (name == "RSCALE") return lose(value != "GREGORIAN" && value != "GREGORY");
        if (name == "SKIP" && value == "OMIT") return;
        // An unknown BY part may add times, so the other times are uncertain.
        lose(name.starts_with("BY"));
        ignore(part);
    }

    void ignore(std::string_view part)
    {
        if (_ignored.size() < 20) _ignored.emplace_back(part);
    }
    void lose(bool lost) { _lost = _lost || lost; }

    void readFrequency(std::string_view text)
    {
        const auto found = std::ranges::find(frequencyWords, text, [](const auto& entry) { return entry.first; });
        if (found == frequencyWords.end()) return lose(true);
        _rule.frequency = found->second;
        _hasFrequency = true;
    }
    std::string_view frequencyWord() const
    {
        return std::ranges::find(frequencyWords, _rule.frequency, [](const auto& entry) { return entry.second; })->first;
    }

    /// One that is longer than every calendar is as good as the longest.
    void readInterval(std::string_view text, std::string_view part)
    {
        const bool isLong = text.size() > 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
        const auto number = isLong ? longestInterval : ruleNumber(text, 1, longestInterval);
        number ? (void)(_rule.interval = *number) : ignore(part);
    }

    void readCount(std::string_view text, std::string_view part)
    {
        const auto number = ruleNumber(text, 1, 1'000'000'000);
        number ? (void)(_rule.count = *number) : ignore(part);
    }

    /// Also accepts a zone name before the time (`TZID=Europe/Berlin:20270113T100000`), which is the event's.
    void readUntil(std::string_view text, std::string_view part)
    {
        auto time = parseTime(text);
        if (!time) time = parseTime(trim(text.substr(text.find_last_of("=:") + 1)));
        if (!time) return ignore(part);
        _rule.until = {time->wall, time->isDate, time->isUtc};
    }

    void readWeekStart(std::string_view text, std::string_view part)
    {
        const auto weekday = weekdayOf(text);
        weekday ? (void)(_rule.weekStart = *weekday) : ignore(part);
    }

    /// Items out of range are passed over. A part of nothing else says nothing.
    void readNumbers(std::string_view text, const NumberRange& range, std::vector<int>& numbers, std::string_view part)
    {
        bool allRead = true;
        for (const auto& item : splitList(text))
        {
            const auto number = ruleNumber(item, range.fromEnd ? -range.most : range.least, range.most);
            const bool isRead = number && (!range.fromEnd || *number != 0);
            allRead = allRead && isRead;
            if (isRead) numbers.push_back(static_cast<int>(*number));
        }
        std::ranges::sort(numbers);
        numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
        if (!allRead) ignore(part);
    }

    /// Commas or blanks separate the days; 0 before a day means every such day.
    void readDays(std::string_view text, std::string_view part)
    {
        bool allRead = true;
        const auto take = [&](std::string_view characters)
        {
            const auto piece = text.substr(0, std::min(text.find_first_not_of(characters), text.size()));
            text.remove_prefix(piece.size());
            return piece;
        };
        for (take(", "); !text.empty(); take(", "))
        {
            const auto place = take("+-0123456789");
            take(" ");
            const auto letters = text.substr(0, text.find_first_of(", "));
            text.remove_prefix(letters.size());
            const auto weekday = weekdayOf(letters);
            const auto ordinal = place.empty() ? 0 : ruleNumber(place, -53, 53);
            const bool isRead = weekday && ordinal && _rule.byDay.size() < 800;
            allRead = allRead && isRead;
            if (isRead) _rule.byDay.push_back({static_cast<int>(*ordinal), *weekday});
        }
        if (!allRead) ignore(part);
    }

    std::vector<std::string>& _ignored;
    RecurrenceRule _rule;
    std::vector<std::string> _seen;
    bool _hasFrequency = false;
    bool _lost = false;
};
} // namespace

std::optional<RecurrenceRule> RecurrenceRule::parse(std::string_view text, std::vector<std::string>* ignored)
{
    std::vector<std::string> passedOver;
    text = trim(text);
    if (upperCase(text.substr(0, 6)) == "RRULE:") text.remove_prefix(6);
    return RuleReader(ignored ? *ignored : passedOver).read(text);
}

} // namespace portico::calendar::icalendar
